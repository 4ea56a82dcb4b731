import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'
import { errorOf, outputOf } from './support/engine.ts'
import { KEY, scripted } from './support/scripted.ts'

const LIST = { name: 'List', parameters: { resource: 'voice', operation: 'getAll' } }

const given = scripted()
let server: Server
let url: string

beforeAll(async () => {
  server = createServer(LOCALHOST_CERTIFICATE, (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        object: 'list',
        data: [{ id: 'ann', object: 'audio.voice', name: 'Ann', created_at: 0 }],
        has_more: false,
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  server.closeAllConnections()
})

test('a self-signed certificate is refused, and the error says what to do', async () => {
  given.engine.credentials = { apiKey: KEY, baseUrl: url }
  expect(errorOf(await given.engine.run([LIST]), 'List')).toMatchObject({
    name: 'NodeApiError',
    message: 'The certificate of the service is self-signed [item 0]',
    description: expect.stringContaining('Ignore SSL Issues'),
  })
})

test('with Ignore SSL Issues in the credentials, a self-signed certificate is accepted', async () => {
  given.engine.credentials = { apiKey: KEY, baseUrl: url, ignoreSslIssues: true }
  const run = await given.engine.run([LIST])
  expect(errorOf(run, 'List')).toBeUndefined()
  expect(outputOf(run, 'List')[0]?.json).toMatchObject({ id: 'ann' })
})

test('a service without HTTPS at an address with https:// is named as such', async () => {
  given.engine.credentials = { apiKey: KEY, baseUrl: given.upstream.url.replace('http:', 'https:') }
  expect(errorOf(await given.engine.run([LIST]), 'List')?.message).toBe(
    'Base URL: the service does not speak HTTPS at this address [item 0]',
  )
})
