import type { IncomingHttpHeaders } from 'node:http'
import { randomUUID } from 'node:crypto'

const REQUEST_ID = /^[\w.-]{8,128}$/
const TRACE = /^[\da-f]{2}-(?<trace>[\da-f]{32})-(?<span>[\da-f]{16})-[\da-f]{2}$/

/** Takes over the id that a proxy or a client gave a request: 8 to 128 letters, digits, dots, dashes. Else makes one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Reads the trace id of a `traceparent` header (W3C Trace Context). `undefined` without a valid one. */
export function traceIdOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  const { trace, span } = TRACE.exec(typeof traceparent === 'string' ? traceparent : '')?.groups ?? {}
  return trace === undefined || /^0+$/.test(trace) || /^0+$/.test(span ?? '') ? undefined : trace
}
