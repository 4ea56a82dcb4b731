import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createTestUpstream, status } from '@svc-audio/testing'
import type { INodeCredentialTestResult } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { SvcAudioApi } from '../credentials/SvcAudioApi.credentials.ts'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { SvcAudioTrigger } from '../nodes/SvcAudioTrigger/SvcAudioTrigger.node.ts'
import { errorOf } from './support/engine.ts'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'
import { KEY, served } from './support/scripted.ts'

const given = served()

/** Tests the credentials of the engine as n8n's server does. */
async function verdict(node: SvcAudio | SvcAudioTrigger = new SvcAudio()): Promise<INodeCredentialTestResult> {
  const { additionalData } = given.engine.prepare([])
  const context = new given.engine.core.CredentialTestContext(additionalData)
  const run = node.methods.credentialTest?.['testSvcAudioApi']
  if (run === undefined) throw new Error('The node tests no credentials')
  return run.call(context, { id: '1', name: 'Svc Audio API', type: 'svcAudioApi', data: given.engine.credentials })
}

/** What a run with the credentials of the engine fails with. */
async function runFailure(): Promise<string> {
  const list = { resource: 'voice', operation: 'getAll', options: { retries: 0 } }
  const error = errorOf(await given.engine.run([{ name: 'List', parameters: list }]), 'List')
  return `${error?.message.replace(' [item 0]', '')}. ${String(error?.['description'])}`
}

/** Ids of requests differ. */
function withoutRequestId(message: string): string {
  return message.replace(/, request [^,)]+/, '')
}

describe('the test of the credentials', () => {
  test.each(['', '/', '/v1', '/v1/'])('the test of the credentials passes with the address%s', async (end) => {
    given.engine.credentials = { apiKey: KEY, baseUrl: `${given.service.url}${end}` }
    expect(await verdict()).toEqual({ status: 'OK', message: 'The service accepts the key.' })
  })

  test.each([
    ['a space after the key', `${KEY} `, (url: string) => url],
    ['spaces around the address', KEY, (url: string) => ` ${url}/v1/ `],
    ['a line break after both', `${KEY}\n`, (url: string) => `${url}\n`],
  ])('the test of the credentials passes with %s, and so does a run', async (_what, apiKey, address) => {
    given.engine.credentials = { apiKey, baseUrl: address(given.service.url) }
    expect(await verdict()).toMatchObject({ status: 'OK' })
    const run = await given.engine.run([{ name: 'List', parameters: { resource: 'voice', operation: 'getAll' } }])
    expect(errorOf(run, 'List')).toBeUndefined()
  })

  test.each([
    ['a page', 'text/html', '<!doctype html><title>Welcome</title>'],
    ['other JSON', 'application/json', '{"hello":"world"}'],
  ])('the test of the credentials fails where a site answers 200 with %s', async (_what, type, body) => {
    await using site = await createTestUpstream({ apiKey: KEY })
    site.on('*', { status: 200, headers: { 'content-type': type }, body })
    given.engine.credentials = { apiKey: KEY, baseUrl: site.url }
    const { status: result, message } = await verdict()
    expect(result).toBe('Error')
    expect(message).toMatch(/^The response is not from the audio service\. Check the Base URL of the credentials\./)
  })

  test.each([307, 401, 403, 404, 405, 429, 500, 503])(
    'the test of the credentials says the same of the status %i as a run',
    async (code) => {
      await using site = await createTestUpstream({ apiKey: KEY })
      site.on('*', status(code, { headers: { 'retry-after': '0' } }))
      given.engine.credentials = { apiKey: KEY, baseUrl: site.url }
      const { status: result, message } = await verdict()
      expect(result).toBe('Error')
      expect(withoutRequestId(message)).toBe(withoutRequestId(await runFailure()))
      expect(message).toContain(`(status ${code}`)
    },
  )

  test.each([
    ['no service', 'http://127.0.0.1:1', 'Base URL: no service runs at this address. Start the service'],
    ['no host', 'http://no-such-host.invalid', /^Base URL: (?:there is no host of this name|the name of the host)/],
    ['an address that is none', 'audio.example', 'Base URL: must be an absolute http or https URL. Change the field'],
  ])('the test of the credentials says the same of %s as a run', async (_what, baseUrl, start) => {
    given.engine.credentials = { apiKey: KEY, baseUrl }
    const { status: result, message } = await verdict()
    expect(result).toBe('Error')
    expect(message).toMatch(typeof start === 'string' ? new RegExp(`^${start}`) : start)
    expect(message).toBe(await runFailure())
  })

  test('the test of the credentials names a self-signed certificate like a run, and accepts it if told to', async () => {
    const server = createServer(LOCALHOST_CERTIFICATE, (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"object":"list","data":[]}')
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    try {
      const { port } = server.address() as AddressInfo
      given.engine.credentials = { apiKey: KEY, baseUrl: `https://localhost:${port}` }
      const { message } = await verdict()
      expect(message).toMatch(/^The certificate of the service is self-signed\. Give n8n the certificate authority/)
      expect(message).toBe(await runFailure())
      given.engine.credentials = { ...given.engine.credentials, ignoreSslIssues: true }
      expect(await verdict()).toMatchObject({ status: 'OK' })
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  test('the test of the credentials fails with a wrong key, and does not show the key', async () => {
    given.engine.credentials = { apiKey: 'wrong-key-000', baseUrl: given.service.url }
    const { status: result, message } = await verdict()
    expect(result).toBe('Error')
    expect(message).toMatch(/^API Key: the service does not accept it\. Copy the key into the credentials again/)
    expect(message).not.toContain('wrong-key-000')
  })

  test('both nodes test the credentials, which have no test of their own', async () => {
    given.engine.credentials = { apiKey: KEY, baseUrl: given.service.url }
    for (const node of [new SvcAudio(), new SvcAudioTrigger()]) {
      expect(node.description.credentials).toEqual([
        { name: 'svcAudioApi', required: true, testedBy: 'testSvcAudioApi' },
      ])
      expect(await verdict(node)).toMatchObject({ status: 'OK' })
    }
    expect(new SvcAudioApi()).not.toHaveProperty('test')
  })
})

test('the key is a password field, and both fields are required', () => {
  const [apiKey, baseUrl] = new SvcAudioApi().properties
  expect(apiKey).toMatchObject({ name: 'apiKey', typeOptions: { password: true }, required: true })
  expect(baseUrl).toMatchObject({ name: 'baseUrl', required: true })
})

test('n8n finds the icons of node and credentials, light and dark', async () => {
  const { version } = createRequire(import.meta.url)('n8n-core/package.json')
  expect(version).toBe('2.41.1')
  const loader = new given.engine.core.PackageDirectoryLoader(`${import.meta.dirname}/..`)
  await loader.loadAll()
  const icons = [loader.getNode('svcAudio').type, loader.getCredential('svcAudioApi').type].map((type) =>
    'description' in type ? type.description.iconUrl : 'iconUrl' in type ? type.iconUrl : undefined,
  )
  for (const icon of icons) {
    if (typeof icon !== 'object') throw new Error('There must be an icon for each theme')
    for (const url of [icon.light, icon.dark]) {
      const file = url.replace('icons/n8n-nodes-svc-audio/', '')
      expect(await readFile(`${import.meta.dirname}/../${file}`, 'utf8')).toMatch(/^<svg /)
    }
  }
})
