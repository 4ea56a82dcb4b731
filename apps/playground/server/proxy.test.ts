import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { errorHandler, type Listening, serve } from './http.ts'
import type { Upstream } from './upstream.ts'
import { proxyTo } from './proxy.ts'

const servers: Listening[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** Starts a service, and a proxy in front of it. @returns the address of the proxy */
async function start(
  listener: (...args: Parameters<RequestListener>) => unknown,
  prefix = '',
  ready = async (): Promise<void> => {},
): Promise<string> {
  const service = await serve((...args) => void listener(...args))
  const upstream: Upstream = {
    baseUrl: service.url + prefix,
    apiKey: 'key-of-the-service',
    embedded: false,
    state: async () => 'up',
    ready,
    retry: () => {},
    pid: () => undefined,
    close: async () => {},
  }
  const proxy = await serve(
    express().use(['/api/v1', '/api/openai/v1'], proxyTo(upstream)).use(errorHandler(upstream.apiKey)),
  )
  servers.push(proxy, service)
  return proxy.url
}

describe('a request', () => {
  test('a request passes with method, query, body and the headers of the interface', async () => {
    let seen: unknown
    const url = await start(async (request, response) => {
      const { method, url: path, headers } = request
      seen = { method, path, headers, body: String(Buffer.concat(await request.toArray())) }
      response.end('{}')
    })
    await fetch(`${url}/api/v1/audio/speech?a=%2F&b=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once', accept: 'audio/wav' },
      body: '{"input":"é"}',
    })
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/v1/audio/speech?a=%2F&b=1',
      body: '{"input":"é"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once', accept: 'audio/wav' },
    })
  })

  test("a call of OpenAI's client passes to the service's endpoints for it", async () => {
    let path: string | undefined
    const url = await start((request, response) => {
      path = request.url
      response.end('{}')
    })
    await fetch(`${url}/api/openai/v1/audio/speech`, { method: 'POST', body: '{}' })
    expect(path).toBe('/openai/v1/audio/speech')
  })

  test("a request has the service's key, and no header of the browser's own", async () => {
    let headers: IncomingMessage['headers'] = {}
    const url = await start((request, response) => {
      ;({ headers } = request)
      response.end()
    })
    await fetch(`${url}/api/v1/models`, {
      headers: { authorization: 'Bearer page', cookie: 'a=1', 'x-forwarded-for': '1.2.3.4', 'user-agent': 'browser' },
    })
    expect(headers.authorization).toBe('Bearer key-of-the-service')
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'authorization', 'connection', 'host'])
  })

  test('a request keeps the prefix of an address, and a second /v1/ in its path', async () => {
    const paths: (string | undefined)[] = []
    const url = await start((request, response) => {
      paths.push(request.url)
      response.end()
    }, '/tenant/audio')
    await fetch(`${url}/api/v1/files/v1/x`)
    expect(paths).toEqual(['/tenant/audio/v1/files/v1/x'])
  })

  test('waits until a service that starts can be used', async () => {
    const started = Promise.withResolvers<void>()
    let calls = 0
    const url = await start(
      (_request, response) => {
        calls += 1
        response.end('up')
      },
      '',
      () => started.promise,
    )
    const answer = fetch(`${url}/api/v1/models`)
    await fetch(`${url}/elsewhere`)
    expect(calls).toBe(0)
    started.resolve()
    expect(await (await answer).text()).toBe('up')
  })
})

describe('a response', () => {
  test('a response passes with status and headers, without those of the connection and of the site', async () => {
    const url = await start((_request, response) => {
      response.writeHead(429, {
        'content-type': 'application/json',
        'retry-after': '3',
        'x-request-id': 'req-1',
        'set-cookie': 'a=1',
        'access-control-allow-origin': '*',
        'strict-transport-security': 'max-age=1',
        'alt-svc': 'h3=":443"',
      })
      response.end('{"error":{"code":"rate_limit"}}')
    })
    const response = await fetch(`${url}/api/v1/models`)
    expect([response.status, await response.json()]).toEqual([429, { error: { code: 'rate_limit' } }])
    const names = [...response.headers.keys()]
    expect(names).toEqual(expect.arrayContaining(['content-type', 'retry-after', 'x-request-id']))
    expect(names.filter((name) => /cookie|access-control|strict|alt-svc/.test(name))).toEqual([])
  })

  test('a response arrives byte by byte: an event is not held for the next', async () => {
    let answer: ServerResponse | undefined
    const url = await start((_request, response) => {
      answer = response
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const response = await fetch(`${url}/api/v1/audio/speech`)
    const reader = response.body?.getReader()
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      answer?.write(text)
      const { value } = (await reader?.read()) ?? {}
      expect(new TextDecoder().decode(value)).toBe(text)
    }
    answer?.end()
    expect(await reader?.read()).toMatchObject({ done: true })
  })

  test('a response that is cut stays cut', async () => {
    const url = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    const response = await fetch(`${url}/api/v1/audio/speech`)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
  })

  test('a redirect is passed on and not followed', async () => {
    const url = await start((_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end()
    })
    const response = await fetch(`${url}/api/v1/models`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/elsewhere'])
  })
})

test('a disconnect of the browser aborts the call to the service', async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const url = await start((_request, response) => {
    response.writeHead(200).flushHeaders()
    arrived.resolve(response)
  })
  const controller = new AbortController()
  const response = await fetch(`${url}/api/v1/audio/speech`, { signal: controller.signal })
  const upstream = await arrived.promise
  const closed = once(upstream, 'close')
  controller.abort()
  await closed
  expect(upstream.writableFinished).toBe(false)
  await expect(response.text()).rejects.toThrow(/abort/i)
})

test('a service that closes without a response is a 502 with a code', async () => {
  const url = await start((request) => void request.socket.destroy())
  const response = await fetch(`${url}/api/v1/models`)
  expect(response.status).toBe(502)
  expect(await response.json()).toEqual({
    error: { code: 'service_unreachable', message: 'The service does not answer.' },
  })
})
