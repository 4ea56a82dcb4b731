import { connect, type Socket } from 'node:net'

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
