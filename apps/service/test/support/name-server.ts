import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PRELOAD = fileURLToPath(new URL('use-name-server.ts', import.meta.url))

/** A name server that knows no name. */
export class NameServer {
  /** Whether it leaves questions without a response. */
  silent = false
  /** Questions so far. */
  asked = 0
  /** Variables of a process that asks this server. */
  readonly environment: Readonly<Record<string, string>>
  readonly #socket

  private constructor(socket: ReturnType<typeof createSocket>) {
    this.#socket = socket
    this.environment = { NODE_OPTIONS: `--import=${PRELOAD}`, NAME_SERVER: `127.0.0.1:${socket.address().port}` }
    socket.on('message', (question, { address, port }) => {
      this.asked += 1
      if (!this.silent) socket.send(unknownName(question), port, address)
    })
  }

  static async listen(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new NameServer(socket.unref())
  }

  close(): void {
    this.#socket.close()
  }
}

/** The question as a response: NXDOMAIN (RFC 1035, 4.1.1). */
function unknownName(question: Buffer): Buffer {
  const answer = Buffer.from(question)
  answer.writeUInt16BE(0x8183, 2)
  return answer
}
