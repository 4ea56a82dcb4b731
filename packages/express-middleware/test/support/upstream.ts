import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it reached the scripted service. */
export interface UpstreamRequest {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** Bytes of the body so far. */
  bytes: number
  /** Resolves when this many bytes have come. */
  received(bytes: number): Promise<void>
  /** Resolves when the connection closes before the answer was sent. */
  readonly left: Promise<void>
  /** The whole body. Rejects when it breaks off. */
  body(): Promise<Buffer>
}

/** A scripted stand-in for the service, for what the real one does not do on demand. */
export interface Upstream {
  readonly url: string
  /** Waits for the next request. */
  next(): Promise<UpstreamRequest>
  close(): Promise<void>
}

/** Starts a scripted service; what it answers is the test's. */
export async function startUpstream(answer: (request: UpstreamRequest) => void | Promise<void>): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  const waiting: ((request: UpstreamRequest) => void)[] = []
  const server = createServer((message, response) => {
    const request = record(message, response)
    const next = waiting.shift()
    if (next === undefined) requests.push(request)
    else next(request)
    Promise.resolve(answer(request)).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      const first = requests.shift()
      if (first !== undefined) return Promise.resolve(first)
      return new Promise((resolve) => {
        waiting.push(resolve)
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function record(message: IncomingMessage, response: ServerResponse): UpstreamRequest {
  const waiting: (() => void)[] = []
  const chunks: Buffer[] = []
  const request: UpstreamRequest = {
    message,
    response,
    bytes: 0,
    async received(bytes) {
      while (request.bytes < bytes) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
    },
    left: new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    }),
    async body() {
      for await (const chunk of message) {
        request.bytes += (chunk as Buffer).byteLength
        chunks.push(chunk as Buffer)
        for (const wake of waiting.splice(0)) wake()
      }
      return Buffer.concat(chunks)
    },
  }
  return request
}

/** Reads the upload, then answers with a transcription. */
export async function transcribes(request: UpstreamRequest): Promise<void> {
  await request.body()
  request.response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'hello' }))
}
