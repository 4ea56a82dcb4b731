import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { disconnectSignal, type IncomingUpload, receiveUpload, type UploadOptions } from '../../src/index.ts'

/** Outcome of one upload. */
export interface Outcome {
  readonly upload?: IncomingUpload
  /** The file, if the stream ended without an error. */
  readonly content?: Buffer
  readonly error?: unknown
}

/** A real HTTP server that receives uploads. */
export interface Receiver {
  readonly port: number
  /** The next outcome that no earlier call has returned. */
  outcome(): Promise<Outcome>
  close(): Promise<void>
}

export type Consume = (upload: IncomingUpload) => Promise<Buffer | undefined>

/** The whole stream. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Starts a receiver. A refused upload is answered with its status and code. */
export async function startReceiver(
  options: Partial<UploadOptions> = {},
  consume: Consume = (upload) => readAll(upload.stream),
): Promise<Receiver> {
  const done: Outcome[] = []
  const waiting: ((outcome: Outcome) => void)[] = []
  const report = (outcome: Outcome): void => {
    const next = waiting.shift()
    if (next === undefined) done.push(outcome)
    else next(outcome)
  }
  const server = createServer((request, response) => {
    let upload: IncomingUpload | undefined
    const receive = async (): Promise<void> => {
      try {
        upload = await receiveUpload(request, { maxFileSize: 10_000, signal: disconnectSignal(response), ...options })
        const content = await consume(upload)
        response.end('received')
        report({ upload, ...(content === undefined ? {} : { content }) })
      } catch (error) {
        const { status = 599, code = 'unknown' } = error as { status?: number; code?: string }
        if (status !== 499) response.writeHead(status).end(code)
        report({ error, ...(upload === undefined ? {} : { upload }) })
      }
    }
    void receive()
  })
  // Node's timeouts must not close a connection in these tests.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    outcome: () => {
      const first = done.shift()
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

/** One TCP connection under the test's control, byte by byte. */
export class RawClient {
  readonly socket: Socket
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  #received = ''
  #wake: (() => void)[] = []

  /** @param allowHalfOpen Whether the client still sends after the server has ended its side, as proxies do. */
  constructor(port: number, allowHalfOpen = false) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
    this.socket.on('data', (data) => {
      this.#received += data.toString('latin1')
      this.#notify()
    })
    this.socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#notify()
        resolve()
      })
    })
  }

  /** Writes, and resolves when the system has taken the bytes. */
  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve())
    })
  }

  /** The next whole response. Rejects if the connection closes first. */
  async answer(): Promise<{ status: number; body: string }> {
    for (;;) {
      const head = this.#received.indexOf('\r\n\r\n')
      if (head >= 0) {
        const headers = this.#received.slice(0, head)
        const chunked = /transfer-encoding: chunked/i.test(headers)
        const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0)
        const end = chunked ? this.#received.indexOf('0\r\n\r\n', head) + 5 : head + 4 + length
        if (end > head && this.#received.length >= end) {
          const body = this.#received.slice(head + 4, end)
          this.#received = this.#received.slice(end)
          return {
            status: Number(headers.split(' ')[1]),
            body: chunked ? body.replaceAll(/[\da-f]+\r\n([^\r]*)\r\n/g, '$1').trim() : body,
          }
        }
      }
      if (this.socket.closed) throw new Error('the connection closed without a response')
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
      })
    }
  }

  /** Cuts the connection. */
  leave(): void {
    this.socket.destroy()
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

/** Sends one request on a separate connection. */
export async function exchange(receiver: Receiver, request: Uint8Array): Promise<{ status: number; body: string }> {
  const client = new RawClient(receiver.port)
  try {
    await client.send(request)
    return await client.answer()
  } finally {
    client.leave()
  }
}
