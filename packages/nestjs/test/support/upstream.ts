import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as it reached the scripted service. */
export class UpstreamCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Resolves when the connection closes before the answer was sent. */
  readonly left: Promise<void>
  /** Bytes of the body so far. */
  bytes = 0
  readonly #chunks: Buffer[] = []
  readonly #body: Promise<Buffer>

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
    this.left = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    request.on('data', (chunk: Buffer) => {
      this.bytes += chunk.byteLength
      this.#chunks.push(chunk)
    })
    this.#body = once(request, 'end').then(() => Buffer.concat(this.#chunks))
    this.#body.catch(() => {})
  }

  /** Resolves when this many bytes of the body have come. */
  async received(bytes: number): Promise<void> {
    while (this.bytes < bytes) await once(this.request, 'data')
  }

  /** The whole body. Rejects when it breaks off. */
  body(): Promise<Buffer> {
    return this.#body
  }
}

/** A scripted stand-in for the service, for what the real one does not do on demand. */
export interface Upstream {
  readonly url: string
  /** Waits for the next call. */
  next(): Promise<UpstreamCall>
  /** Connections that are open now. */
  connections(): Promise<number>
  /** Resolves when every connection has closed. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts a scripted service; what it answers is the test's. */
export async function startUpstream(answer: (call: UpstreamCall) => void | Promise<void>): Promise<Upstream> {
  const calls: UpstreamCall[] = []
  const events = new EventEmitter()
  const server = createServer((request, response) => {
    const call = new UpstreamCall(request, response)
    calls.push(call)
    events.emit('call')
    // A client that leaves breaks the body off, and the script with it.
    Promise.resolve(answer(call)).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.once('close', () => events.emit('disconnect')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      for (;;) {
        const call = calls.shift()
        if (call !== undefined) return call
        await once(events, 'call')
      }
    },
    connections,
    async idle() {
      while ((await connections()) > 0) await once(events, 'disconnect')
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Reads the upload, then answers with a transcription. */
export async function transcribes(call: UpstreamCall): Promise<void> {
  await call.body()
  call.response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'hello' }))
}

/** Reads the request, then answers with an error in the service's own shape, which nobody outside may see. */
export function fails(status: number, words: string): (call: UpstreamCall) => Promise<void> {
  return async (call) => {
    await call.body()
    const headers = { 'content-type': 'application/json', 'retry-after': '7', 'x-request-id': words }
    call.response.writeHead(status, headers).end(JSON.stringify({ error: { code: words, message: words } }))
  }
}
