import type { FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../service-options.ts'

/**
 * The log: JSON lines on standard error. Of a request it has method and path, but not the query, in which the signature
 * of a result's link stands, and no header, since one is the key.
 */
export function createLog(level: LogLevel): Logger {
  return pino({ level, serializers: { req: describeRequest, busboyOptions: describeForm } }, pino.destination(2))
}

/** What the form parser says at trace: it hands over all headers of the request. */
function describeForm({ limits }: { limits?: object }): object {
  return { limits }
}

function describeRequest({ method, url, ip }: FastifyRequest): object {
  return { method, url: url.split('?', 1)[0], remoteAddress: ip }
}
