import type { FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../service-options.ts'

/**
 * The log: JSON lines on standard error. Of a request it has method and path, but not the query, in which the signature
 * of a result's link stands, and no header, since one is the key.
 */
export function createLog(level: LogLevel): Logger {
  return pino({ level, serializers: { req: describeRequest } }, pino.destination(2))
}

function describeRequest({ method, url, ip }: FastifyRequest): object {
  return { method, url: url.split('?', 1)[0], remoteAddress: ip }
}
