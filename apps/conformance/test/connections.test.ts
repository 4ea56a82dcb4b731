import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { Api } from '../src/http/api.ts'
import { Violation } from '../src/expect.ts'

let server: Server | undefined
/** Requests that came on a connection of an earlier one. */
let reused = 0
afterEach(() => {
  reused = 0
  server?.closeAllConnections()
  server?.close()
})

/** Starts a server, and tells it how many requests came before on the same connection. */
async function start(
  listener: (before: number, request: IncomingMessage, response: ServerResponse) => void,
): Promise<Api> {
  const counts = new WeakMap<Socket, number>()
  server = createServer((request, response) => {
    const before = counts.get(request.socket) ?? 0
    counts.set(request.socket, before + 1)
    request.resume().on('end', () => listener(before, request, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return new Api({ baseUrl: `http://127.0.0.1:${port}`, key: 'k', timeout: 20_000 })
}

/** Leaves the client one idle connection. `fetch` frees a connection just after the end of its response. */
async function leaveIdle(api: Api): Promise<void> {
  await api.read('/v1/models')
  await delay(200)
}

const respond = (response: ServerResponse, value: unknown = {}): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Closes a connection at its second request, as a server does whose keep-alive has just ended. */
const impatient = (before: number, request: IncomingMessage, response: ServerResponse): void => {
  if (before > 0) {
    reused += 1
    request.socket.destroy()
  } else respond(response, { method: request.method, type: request.headers['content-type'] ?? null })
}

describe('a connection that the server closed while it was idle', () => {
  test('is no violation for a GET, which is sent again', async () => {
    const api = await start(impatient)
    await leaveIdle(api)
    expect(await api.read('/v1/voices')).toMatchObject({ method: 'GET' })
    expect(reused).toBe(1)
    expect(api.notes).toEqual([])
  })

  test('is told for a POST, which is sent again with its whole body', async () => {
    const api = await start(impatient)
    await leaveIdle(api)
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'a.wav')
    const { fields } = await api.send('POST', '/v1/files', { form })
    expect(fields['type']).toContain('multipart/form-data; boundary=')
    expect(api.notes).toEqual(['POST /v1/files: the server closed the idle connection, so the request was sent twice'])
  })

  test('makes a body that can be read only once “not checked”', async () => {
    const api = await start(impatient)
    await leaveIdle(api)
    const raw = new Blob(['bytes']).stream()
    await expect(api.send('POST', '/v1/files', { raw, contentType: 'text/plain' })).rejects.toMatchObject({
      name: 'NotChecked',
    })
  })
})

describe('a violation names the request', () => {
  test('that gets no response on a new connection', async () => {
    const api = await start((_, { socket }) => socket.destroy())
    const call = api.send('POST', '/v1/files', { json: {} })
    await expect(call).rejects.toThrow(/^POST \/v1\/files got no answer: fetch failed: /)
    await expect(call).rejects.toBeInstanceOf(Violation)
  })

  test('that gets no response on the first and on a new connection', async () => {
    const api = await start((before, { method, socket }, response) => {
      if (method === 'GET' && before === 0) respond(response)
      else socket.destroy()
    })
    await leaveIdle(api)
    await expect(api.send('DELETE', '/v1/files/f')).rejects.toThrow(
      /^DELETE \/v1\/files\/f got no response on a new connection either: /,
    )
  })

  test('with a response that breaks off', async () => {
    const api = await start((_, { socket }, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => socket.destroy())
    })
    await expect(api.read('/v1/models')).rejects.toThrow('GET /v1/models answered 200, and its body broke off: ')
  })
})

test('the clock of the server is the Date of its latest response', async () => {
  const api = await start((_, __, response) => {
    response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString())
    respond(response)
  })
  expect(api.serverTime).toBeUndefined()
  await api.read('/v1/models')
  expect(Number(api.serverTime) - Date.now() / 1000).toBeGreaterThan(3500)
})
