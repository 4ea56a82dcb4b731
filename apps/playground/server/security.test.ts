import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorHandler, isOwnPage, type Listening, localHost, sameOrigin, securityHeaders, serve } from './http.ts'

let server: Listening
let port: string

beforeAll(async () => {
  const app = express()
  app.use('/host', localHost)
  app.use('/origin', sameOrigin)
  app.use('/own', securityHeaders(false))
  app.use('/other', securityHeaders(true))
  app.use((_request, response) => {
    response.send('passed')
  })
  server = await serve(app.use(errorHandler('key')))
  port = new URL(server.url).port
})
afterAll(() => server?.close())

/** Asks with exact headers: fetch sets `host` and `sec-fetch-site` itself. */
async function ask(path: string, headers: Record<string, string>): Promise<[number | undefined, string]> {
  const [response] = (await once(get(server.url + path, { headers }), 'response')) as [IncomingMessage]
  return [response.statusCode, String(Buffer.concat(await response.toArray()))]
}

describe('a host name', () => {
  test.each(['127.0.0.1', '127.0.0.1:5173', 'localhost', 'localhost:80', '[::1]', '[::1]:5173'])(
    'of this machine passes: %s',
    async (host) => {
      expect(await ask('/host', { host })).toEqual([200, 'passed'])
    },
  )

  test.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:5173',
    '127.0.0.1.evil.example',
    'a127.0.0.1',
    '127.0.0.1:evil',
    'localhost:',
    '192.168.1.2:5173',
    '::1',
  ])('a host name of another site is refused: %s', async (host) => {
    const [status, response] = await ask('/host', { host })
    expect([status, JSON.parse(response)]).toEqual([
      403,
      { error: { code: 'foreign_host', message: 'Open the playground by its local address' } },
    ])
  })
})

describe('a request', () => {
  test('a request of a program, which sends neither header, passes', async () => {
    expect(await ask('/origin', {})).toEqual([200, 'passed'])
  })

  test.each([
    ['the page itself', (own: string) => ({ origin: own, 'sec-fetch-site': 'same-origin' })],
    ['the page in an old browser', (own: string) => ({ origin: own })],
    ['the address bar', () => ({ 'sec-fetch-site': 'none' })],
  ])('a request of %s passes', async (_case, headers) => {
    expect(await ask('/origin', headers(server.url))).toEqual([200, 'passed'])
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a sandboxed frame or a file', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a site that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour on the same machine', { 'sec-fetch-site': 'same-site' }],
  ])('a request of %s is refused', async (_case, headers) => {
    const [status, response] = await ask('/origin', headers)
    expect([status, response]).toEqual([403, expect.stringContaining('foreign_origin')])
  })

  test('a request of the page by TLS or by another name of this machine is not the same origin', async () => {
    expect((await ask('/origin', { origin: `https://127.0.0.1:${port}` }))[0]).toBe(403)
    expect((await ask('/origin', { origin: `http://localhost:${port}` }))[0]).toBe(403)
    const host = `localhost:${port}`
    expect((await ask('/origin', { origin: `http://${host}`, host }))[0]).toBe(200)
  })
})

describe('the policy', () => {
  async function policy(path: string): Promise<Record<string, string>> {
    const text = (await fetch(server.url + path)).headers.get('content-security-policy') ?? ''
    return Object.fromEntries(
      text.split('; ').map((rule) => [rule.split(' ', 1).join(''), rule.slice(rule.indexOf(' ') + 1)]),
    )
  }

  test('the policy allows no script, frame, form or plug-in of anybody else', async () => {
    expect(await policy('/own')).toMatchObject({
      'default-src': "'self'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
  })

  test('the policy allows audio of other sites for the results of a hosted service only', async () => {
    const [own, other] = [await policy('/own'), await policy('/other')]
    expect([own['media-src'], own['connect-src']]).toEqual(["'self' blob:", "'self' blob:"])
    expect([other['media-src'], other['connect-src']]).toEqual(["'self' blob: https:", "'self' blob: https:"])
    expect({ ...other, 'media-src': '', 'connect-src': '' }).toEqual({ ...own, 'media-src': '', 'connect-src': '' })
  })

  test('the policy comes with the headers that keep other sites from reading responses', async () => {
    const { headers } = await fetch(`${server.url}/own`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })
})

test.each([
  ['the page itself', 'http://127.0.0.1:5173', '127.0.0.1:5173', true],
  ['a page of another site', 'https://evil.example', '127.0.0.1:5173', false],
  ['another server of this machine', 'http://127.0.0.1:8080', '127.0.0.1:5173', false],
  ['a foreign name that points to this machine', 'http://evil.example:5173', 'evil.example:5173', false],
  ['a request without a host', 'http://', '', false],
])('a WebSocket of %s', (_name, origin, host, isOwn) => {
  expect(isOwnPage(origin, host)).toBe(isOwn)
})
