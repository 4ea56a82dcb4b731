import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ClientDisconnectedError } from '../errors.ts'

/** Node's request and response in an object of a framework, as in the event of h3 1. */
export interface NodeContext {
  /** Node's request. */
  readonly req: IncomingMessage
  /** Its response. */
  readonly res: ServerResponse
}

/** Requests that are made already: a handler asks for its request several times, and the body can be read once. */
const made = new WeakMap<IncomingMessage, Request>()

/** Makes the Web `Request` of Node's request. Its signal aborts when the client disconnects. */
export function fromNodeContext({ req, res }: NodeContext): Request {
  const found = made.get(req)
  if (found !== undefined) return found
  const { headers: given, method = 'GET', url = '/' } = req
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, [value].flat().join(', '))
  }
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new ClientDisconnectedError())
  })
  const address = new URL(url, `http://${given.host ?? 'localhost'}`)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: bodyOf(req), duplex: 'half' as const } : {}
  const request = new Request(address, { method, headers, signal: controller.signal, ...body })
  made.set(req, request)
  return request
}

/** Hosts for functions have the body in memory, and a request without one. */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string {
  for (const name of ['rawBody', 'body']) {
    const value: unknown = Reflect.get(req, name)
    if (typeof value === 'string') return value
    if (value instanceof Uint8Array) return new Uint8Array(value)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type and the global one name the same class
  return Readable.toWeb(req) as ReadableStream<Uint8Array>
}
