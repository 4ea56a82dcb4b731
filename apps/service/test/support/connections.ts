import { connect, type Socket } from 'node:net'

/** A request to send over a raw connection. */
export interface RawRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Sends a whole request and reads nothing. The test does the rest. */
export function sendRaw(url: string, { path, headers, body }: RawRequest): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  // The test cuts the connection on purpose.
  socket.on('error', () => undefined)
  const fields = Object.entries({ host: 'x', 'content-length': String(Buffer.byteLength(body)), ...headers })
  socket.write(`POST ${path} HTTP/1.1\r\n${fields.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`)
  socket.write(body)
  return socket
}

/** A form with one file, as the body of a raw request. */
export function rawForm(fields: Readonly<Record<string, string>>, file: Buffer): Pick<RawRequest, 'headers' | 'body'> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `${parts.join('')}--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')])
  return { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body }
}

/** One connection to a server, for several raw requests. */
export interface KeptConnection {
  readonly socket: Socket
  readonly send: (text: string) => void
  /** Status of the next response; `undefined` if the server closes the connection first. */
  readonly next: () => Promise<number | undefined>
}

/** Connects to a server. The connection stays open until one side closes it. */
export function keepConnection(url: string): KeptConnection {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const statuses = statusesOf(socket)
  return {
    socket,
    send: (text) => void socket.write(text),
    next: async () => (await statuses.next()).value ?? undefined,
  }
}

async function* statusesOf(socket: Socket): AsyncGenerator<number, undefined> {
  let received = ''
  let seen = 0
  try {
    for await (const data of socket.setEncoding('latin1')) {
      received += String(data)
      const all = Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
      for (; seen < all.length; seen += 1) yield all[seen] ?? 0
    }
  } catch (error) {
    // A server that closes a connection with unread bytes resets it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error
  }
  return undefined
}

/** Waits until a connection is closed, also by a reset. `once` of `node:events` rejects at a reset. */
export function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve())
  })
}
