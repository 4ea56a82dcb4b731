import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AddressSet, readAddress } from '../domain/addresses.ts'
import { readTraceparent, type TaskTrace } from '../domain/task-trace.ts'
import type { Span, TraceHeaders, Tracer } from '../ports/tracer.ts'
import { whenResponseEnds } from './response-end.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request. `undefined` where nobody records spans. */
    span: Span | undefined
  }
}

const REQUEST_ID = /^[\w.-]{8,128}$/

/** Maximum characters of a `tracestate` that is passed on: W3C Trace Context asks for at least 512. */
const MOST_STATE_CHARACTERS = 512

/** Takes over the id that a proxy or a client gave a request: 8 to 128 letters, digits, dots, dashes. Else makes one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Reads the trace id of a `traceparent` header (W3C Trace Context). `undefined` without a valid one. */
export function traceIdOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return readTraceparent(traceparent)?.traceId
}

/** Reads the trace that a request continues. Nothing without a valid `traceparent`. */
export function traceHeadersOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceHeaders {
  if (typeof traceparent !== 'string' || readTraceparent(traceparent) === undefined) return {}
  const state = Array.isArray(tracestate) ? tracestate.join(',') : tracestate
  const passed = typeof state === 'string' && state.length <= MOST_STATE_CHARACTERS && /^[\x20-\x7E]+$/.test(state)
  return { traceparent, ...(passed ? { tracestate: state } : {}) }
}

/** The trace of a task that a request creates. */
export function taskTraceOf({ id, span, headers }: FastifyRequest): TaskTrace {
  return { requestId: id, ...(span?.trace ?? traceHeadersOf(headers)) }
}

/**
 * Makes a span of each request, if anybody records spans. It continues the trace of `traceparent`. Spans of the handler
 * are parts of it.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    // The route's options and a span take a quarter of a small response's time.
    if (!tracer.records) return done()
    const { method, routeOptions, headers } = request
    const route = routeOptions.url ?? 'none'
    const span = tracer.start(`${method} ${route}`, {
      kind: 'server',
      parent: traceHeadersOf(headers),
      attributes: { 'http.request.method': method, 'http.route': route, 'svc_audio.request.id': request.id },
    })
    request.span = span
    if (span.recorded) {
      whenResponseEnds(reply, () => {
        if (request.tenant !== '') span.set('svc_audio.tenant', request.tenant)
        span.set('http.response.status_code', reply.statusCode)
        span.end(reply.statusCode >= 500 ? new ServerFault() : undefined)
      })
    }
    done()
  })
  // The body is read outside the span's context, so the handler enters it. A hook before the handler would cost more.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function inSpan(request, reply) {
      const { span } = request
      return span?.recorded === true
        ? span.run(() => handler.call(this, request, reply))
        : handler.call(this, request, reply)
    }
  })
}

/** Marks the span of a response of 500 and more. */
class ServerFault extends Error {
  override readonly name = 'ServerFault' as const
}

/**
 * Makes the check of proxies for `trustProxy` of Fastify.
 * @throws RangeError naming the entry that is neither an address nor a CIDR block
 */
export function trustedProxies(entries: readonly string[] = []): false | ((address: string | undefined) => boolean) {
  if (entries.length === 0) return false
  const proxies = proxySet(entries)
  return (address) => proxies.has(address)
}

/**
 * The set of the proxies of `trustProxy`.
 * @throws RangeError naming the entry that is neither an address nor a CIDR block
 */
export function proxySet(entries: readonly string[]): AddressSet {
  try {
    return new AddressSet(entries)
  } catch (error) {
    throw new RangeError(`trustProxy ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** The address of a request whose connection has ended. */
const UNKNOWN = 'unknown'

/**
 * Returns the address of a request's client: of the connection, or, behind trusted proxies, the last one of
 * `X-Forwarded-For` that no trusted proxy has. What is no address does not count, nor what stands before it.
 */
export function clientAddress(request: FastifyRequest): string {
  if (request.ips === undefined) return connectionAddress(request.raw.socket)
  const [, ...forwarded] = request.ips
  for (const text of forwarded.toReversed()) {
    const address = readAddress(text)
    if (address !== undefined) return address
  }
  return connectionAddress(request.raw.socket)
}

/** Addresses of connections: a socket takes longer to tell it. */
const addresses = new WeakMap<Socket, string>()

function connectionAddress(socket: Socket): string {
  const known = addresses.get(socket)
  if (known !== undefined) return known
  const address = readAddress(socket.remoteAddress)
  if (address === undefined) return UNKNOWN
  addresses.set(socket, address)
  return address
}
