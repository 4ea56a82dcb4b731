import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { FaultScript } from './script.ts'

/** A proxy that understands where a request to PostgreSQL and its response begin and end. */
export interface MessageProxy {
  readonly port: number
  close(): Promise<void>
}

/** Errors that a server sends instead of a response, by SQLSTATE. The connection ends with the `FATAL` ones. */
export const SERVER_ERRORS: Readonly<Record<string, 'ERROR' | 'FATAL'>> = {
  '25006': 'ERROR',
  '40001': 'ERROR',
  '53100': 'ERROR',
  '53300': 'FATAL',
  '55P03': 'ERROR',
  '57014': 'ERROR',
  '57P01': 'FATAL',
}

/** Faults of one request to PostgreSQL. */
export const POSTGRES_FAULTS = [
  'lost request',
  'lost answer',
  'delayed request',
  'doubled request',
  ...Object.keys(SERVER_ERRORS),
]

/** Cuts a stream into whole messages. The first of a client has no type. */
class Messages {
  #rest = Buffer.alloc(0)
  #isFirst: boolean

  constructor({ isClient }: { readonly isClient: boolean }) {
    this.#isFirst = isClient
  }

  push(piece: Buffer): { readonly type: string; readonly bytes: Buffer }[] {
    this.#rest = Buffer.concat([this.#rest, piece])
    const messages = []
    for (;;) {
      const head = this.#isFirst ? 0 : 1
      if (this.#rest.length < head + 4) return messages
      const length = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < length) return messages
      const bytes = this.#rest.subarray(0, length)
      messages.push({ type: this.#isFirst ? 'startup' : String.fromCharCode(bytes[0] ?? 0), bytes })
      this.#rest = this.#rest.subarray(length)
      this.#isFirst = false
    }
  }
}

function errorResponse(code: string, severity: string): Buffer {
  const fields = { S: severity, V: severity, C: code, M: 'a scripted error' }
  const body = `${Object.entries(fields)
    .map(([name, value]) => `${name}${value}\0`)
    .join('')}\0`
  const error = Buffer.alloc(5)
  error.write('E')
  error.writeInt32BE(4 + body.length, 1)
  const idle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
  return Buffer.concat([error, Buffer.from(body), ...(severity === 'FATAL' ? [] : [idle])])
}

/** A request once more. Its statement with a name is known by then. */
function repeated(request: Buffer): Buffer {
  const isNamed = (bytes: Buffer): boolean => bytes[5] !== 0
  const messages = new Messages({ isClient: false }).push(request)
  return Buffer.concat(messages.filter(({ type, bytes }) => type !== 'P' || !isNamed(bytes)).map(({ bytes }) => bytes))
}

/** The statement of a request, for the report. A prepared one has only its name. */
function statementOf(request: Buffer): string {
  return (
    /(?:begin|commit|rollback|select|insert|update|delete|with|listen|svc_audio)\b[^\0]{0,60}/i.exec(
      request.toString('latin1'),
    )?.[0] ?? '?'
  )
}

/** Starts a proxy to a port of this machine. Each request of a client asks the script for its fault. */
export async function startPostgresProxy(target: number, script: FaultScript): Promise<MessageProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: '127.0.0.1' })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Messages are small, and each waits for the one before.
      socket.setNoDelay(true)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    new Session(client, upstream, script).open()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return {
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** A connection of a client, and its own to the server. */
class Session {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #script: FaultScript
  #request: Buffer[] = []
  /** Whether the response to the current request goes to the client. */
  #isHeard = true
  /** Called at the end of a response that nobody hears. */
  #onResponse: (() => void) | undefined
  /** The request that is sent again after its response, outside of a transaction. */
  #doubled: Buffer | undefined

  constructor(client: Socket, upstream: Socket, script: FaultScript) {
    this.#client = client
    this.#upstream = upstream
    this.#script = script
  }

  /** Passes on what both send. */
  open(): void {
    const [client, upstream] = [this.#client, this.#upstream]
    const requests = new Messages({ isClient: true })
    const responses = new Messages({ isClient: false })
    client.on('data', (piece) => {
      for (const { type, bytes } of requests.push(piece)) this.#receive(type, bytes)
    })
    upstream.on('data', (piece) => {
      for (const { type, bytes } of responses.push(piece)) {
        if (type === 'Z' && this.#doubled !== undefined) this.#double(this.#doubled, bytes)
        else if (this.#isHeard) client.write(bytes)
        else if (type === 'Z') this.#onResponse?.()
      }
    })
    client.on('close', () => {
      if (this.#isHeard) upstream.destroy()
    })
    upstream.on('close', () => client.destroy())
  }

  #receive(type: string, bytes: Buffer): void {
    this.#request.push(bytes)
    // The end of a request: a simple query, or the synchronization after an extended one.
    if (type === 'startup' || type === 'X' || type === 'p') this.#upstream.write(this.#take())
    else if (type === 'Q' || type === 'S') this.#send(this.#take())
  }

  #take(): Buffer {
    const request = Buffer.concat(this.#request)
    this.#request = []
    return request
  }

  /** Sends a request again, and then the end of its first response. A transaction belongs to one sender. */
  #double(request: Buffer, end: Buffer): void {
    this.#doubled = undefined
    if (String.fromCharCode(end[5] ?? 0) !== 'I') {
      this.#client.write(end)
      return
    }
    this.#isHeard = false
    this.#onResponse = () => {
      this.#isHeard = true
      this.#client.write(end)
    }
    this.#upstream.write(request)
  }

  #send(request: Buffer): void {
    const fault = this.#script.next('postgres', statementOf(request))
    if (fault === undefined) {
      this.#upstream.write(request)
      return
    }
    if (fault === 'lost request') {
      this.#client.destroy()
      return
    }
    const severity = SERVER_ERRORS[fault]
    if (severity !== undefined) {
      this.#client.write(errorResponse(fault, severity))
      if (severity === 'FATAL') this.#client.end()
      return
    }
    if (fault === 'doubled request') {
      this.#doubled = repeated(request)
      this.#upstream.write(request)
      return
    }
    // The server gets the request, and the client no response.
    this.#isHeard = false
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#onResponse = () => {
      this.#upstream.destroy()
      resolve(undefined)
    }
    if (fault === 'lost answer') {
      this.#upstream.write(request)
      void promise.then(() => this.#client.destroy())
      return
    }
    this.#script.hold(async () => {
      this.#upstream.write(request)
      await promise
    })
    this.#client.destroy()
  }
}
