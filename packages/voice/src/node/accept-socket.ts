import type { IncomingMessage } from 'node:http'
import type { VoiceRequest } from '../server/voice-server-options.ts'
import type { VoiceServer } from '../server/voice-server.ts'

/** The part of a `WebSocket` of the package `ws` that is used. */
export interface NodeWebSocket {
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
  /** Sends a text or a binary frame. */
  send(data: string | Uint8Array): void
  /** Begins the closing handshake with a code and a reason. */
  close(code: number, reason: string): void
  /** Cuts the connection, for a client that does not answer the close. */
  terminate(): void
  /** Calls `listener` with each frame. */
  on(event: 'message', listener: (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => void): unknown
  /** Calls `listener` when the connection has ended or is broken. */
  on(event: 'close' | 'error', listener: () => void): unknown
}

/** Milliseconds that a client has to answer the close of the server. */
const CLOSE_TIMEOUT = 5000

/** Hands an open socket of the package `ws` to the server. */
export function acceptSocket<User, State>(
  server: VoiceServer<User, State>,
  socket: NodeWebSocket,
  request: IncomingMessage,
): void {
  const connection = server.accept(
    {
      get bufferedAmount() {
        return socket.bufferedAmount
      },
      send: (data) => socket.send(data),
      close(code, reason) {
        socket.close(code, reason)
        const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT)
        timer.unref()
        socket.on('close', () => clearTimeout(timer))
      },
    },
    nodeRequest(request),
  )
  socket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data)
    connection.receive(isBinary ? bytes : bytes.toString('utf8'))
  })
  socket.on('close', () => connection.closed())
  // A broken connection also closes. Without a listener, the process would end.
  socket.on('error', () => {})
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}

/** The request of Node, as the server reads it. */
function nodeRequest({ url = '/', headersDistinct }: IncomingMessage): VoiceRequest {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return { url, headers }
}
