import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createTestUpstream, status } from '@svc-audio/testing'
import { createRunExecutionData, type INodeExecutionData, type INodeType, NodeConnectionTypes } from 'n8n-workflow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SvcAudioApi } from '../credentials/SvcAudioApi.credentials.ts'
import { type Engine, errorOf, startEngine } from './support/engine.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
let engine: Engine

beforeAll(async () => {
  service = await startTestService()
  engine = await startEngine({ apiKey: KEY, baseUrl: service.url })
})

afterAll(async () => {
  await engine?.close()
  await service?.close()
})

/** Runs the test request as n8n's server does: as the routing of a node that has nothing else. */
async function runTest(): Promise<INodeExecutionData[][] | undefined> {
  const { request } = new SvcAudioApi().test
  const texts = { displayName: 'Test', name: 'test', description: '', defaults: { name: 'Test' } }
  const type: INodeType = {
    description: {
      ...texts,
      group: [],
      version: 1,
      inputs: [],
      outputs: [NodeConnectionTypes.Main],
      credentials: [{ name: 'svcAudioApi', required: true }],
      properties: [{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } }],
    },
  }
  engine.addType('test', type)
  const { workflow, additionalData } = engine.prepare([{ name: 'Test', type: 'test' }])
  const node = workflow.getNode('Test')
  if (node === null) throw new Error('The workflow lacks its node')
  const items = [{ json: {} }]
  const data = { main: [items] }
  const { ExecuteContext, RoutingNode } = engine.core
  const run = createRunExecutionData({})
  const execution = { node, data, source: null }
  const context = new ExecuteContext(workflow, node, additionalData, 'internal', run, 0, [], data, execution, [])
  return new RoutingNode(context, type).runNode()
}

/** What n8n's server makes of the answer: the rule fails where the field has the value that it names. */
async function verdict(): Promise<string> {
  const [[item] = []] = (await runTest()) ?? []
  for (const { properties } of new SvcAudioApi().test.rules ?? []) {
    if ('key' in properties && item?.json[properties.key] === properties.value) return properties.message
  }
  return 'passed'
}

describe('the test of the credentials', () => {
  test.each(['', '/', '/v1', '/v1/'])('passes with the address%s', async (end) => {
    engine.credentials = { apiKey: KEY, baseUrl: `${service.url}${end}` }
    const [[item] = []] = (await runTest()) ?? []
    expect(item?.json['object']).toBe('list')
  })

  test.each([
    ['a space after the key', `${KEY} `, (url: string) => url],
    ['spaces around the address', KEY, (url: string) => ` ${url}/v1/ `],
    ['a line break after both', `${KEY}\n`, (url: string) => `${url}\n`],
  ])('the test of the credentials passes with %s, and so does a run', async (_what, apiKey, address) => {
    engine.credentials = { apiKey, baseUrl: address(service.url) }
    await expect(verdict()).resolves.toBe('passed')
    const run = await engine.run([{ name: 'List', parameters: { resource: 'voice', operation: 'getAll' } }])
    expect(errorOf(run, 'List')).toBeUndefined()
  })

  test.each([
    ['a page', 'text/html', '<!doctype html><title>Welcome</title>'],
    ['other JSON', 'application/json', '{"hello":"world"}'],
  ])('the test of the credentials fails where a site answers 200 with %s', async (_what, type, body) => {
    await using site = await createTestUpstream({ apiKey: KEY })
    site.on('*', { status: 200, headers: { 'content-type': type }, body })
    engine.credentials = { apiKey: KEY, baseUrl: site.url }
    await expect(verdict()).resolves.toContain('Base URL: the address answers, but not as the audio service does')
  })

  test.each([401, 403, 404, 429, 500, 503])(
    'the test of the credentials says the same of the status %i as a run',
    async (code) => {
      await using site = await createTestUpstream({ apiKey: KEY })
      site.on('*', status(code, { headers: { 'retry-after': '0' } }))
      engine.credentials = { apiKey: KEY, baseUrl: site.url }
      await expect(runTest()).rejects.toMatchObject({ httpCode: String(code) })
      const list = { resource: 'voice', operation: 'getAll', options: { retries: 0 } }
      const error = errorOf(await engine.run([{ name: 'List', parameters: list }]), 'List')
      const rule = new SvcAudioApi().test.rules?.find(
        ({ properties }) => 'value' in properties && properties.value === code,
      )
      const headline = error?.message.replace(' [item 0]', '') ?? ''
      const remedy = String(error?.['description']).replace(/ The service says: .*| \(status.*/, '')
      expect(rule?.properties.message).toBe(`${headline}. ${remedy}`)
    },
  )

  test('the test of the credentials fails with a wrong key', async () => {
    engine.credentials = { apiKey: 'wrong-key-000', baseUrl: service.url }
    await expect(runTest()).rejects.toMatchObject({ httpCode: '401' })
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
  const loader = new engine.core.PackageDirectoryLoader(`${import.meta.dirname}/..`)
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
