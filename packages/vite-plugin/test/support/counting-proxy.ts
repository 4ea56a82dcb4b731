import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A speech request as it passed. */
export interface SpeechCall {
  readonly model: string
  readonly input: string
  readonly voice_id: string
  readonly response_format: string
  readonly aigc_metadata?: object
}

/** What a test may do to a call instead of passing it on. Returns true when it has answered. */
export type Intercept = (call: SpeechCall, request: IncomingMessage, response: ServerResponse) => boolean

/** Stands in front of the real service and counts what passes. */
export interface CountingProxy {
  readonly url: string
  /** Every speech call so far, those intercepted too. */
  readonly calls: SpeechCall[]
  /** Most calls that were open at the same time. */
  readonly mostAtOnce: number
  /** Calls that the caller left before they were answered. */
  readonly left: number
  intercept: Intercept | undefined
  /** Holds every call back until `release()`. */
  hold(): { release(): void }
  /** Resolves once `count` calls have come in. */
  called(count: number): Promise<void>
  /** Resolves once `count` calls were left. */
  leftBy(count: number): Promise<void>
  /** Resolves once every connection to it is closed. */
  disconnected(): Promise<void>
  close(): Promise<void>
}

/** @param target Address of the service. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const calls: SpeechCall[] = []
  const changed = new EventTarget()
  const state = { open: 0, most: 0, left: 0, connections: 0 }
  let held: Promise<void> | undefined

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray())
    if (request.url === '/v1/audio/speech') {
      const call = JSON.parse(body.toString()) as SpeechCall
      state.open += 1
      state.most = Math.max(state.most, state.open)
      response.once('close', () => {
        state.open -= 1
        if (!response.writableFinished) state.left += 1
        changed.dispatchEvent(new Event('change'))
      })
      calls.push(call)
      changed.dispatchEvent(new Event('change'))
      await held
      if (response.destroyed) return
      if (proxy.intercept?.(call, request, response) === true) return
    }
    const { method = 'GET', headers, url = '/' } = request
    const upstream = httpRequest(`${target}${url}`, { method, headers })
    response.once('close', () => upstream.destroy())
    upstream.on('error', () => response.destroy())
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    upstream.end(body)
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  // long enough that a caller who keeps connections is found out
  server.keepAliveTimeout = 600_000
  server.on('connection', (socket) => {
    state.connections += 1
    socket.once('close', () => {
      state.connections -= 1
      changed.dispatchEvent(new Event('change'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await once(changed, 'change')
  }
  const proxy: CountingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    get mostAtOnce() {
      return state.most
    },
    get left() {
      return state.left
    },
    intercept: undefined,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return {
        release() {
          held = undefined
          resolve()
        },
      }
    },
    called: (count) => until(() => calls.length >= count),
    leftBy: (count) => until(() => state.left >= count),
    disconnected: () => until(() => state.connections === 0),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return proxy
}
