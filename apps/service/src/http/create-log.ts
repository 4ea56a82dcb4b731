import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../service-options.ts'
import { boundedLog } from './bounded-log.ts'
import { readTraceparent } from '../domain/task-trace.ts'
import { clientAddress } from './client-address.ts'

/**
 * Makes the log: JSON lines on standard error. A line has the method and path of its request. It has no query, because
 * the query of a result's link holds the signature, and no header, because one of them is the key. Lines are bounded
 * in length and rate.
 */
export function createLog(level: LogLevel): Logger {
  const serializers = { req: describeRequest, res: describeResponse, err: describeError, busboyOptions: describeForm }
  return pino({ level, serializers }, boundedLog(pino.destination(2)))
}

/** Longest path in a log line, in characters. */
const MAX_PATH_CHARACTERS = 200

/** Longest message, stack or other text of an error in a log line, in characters. */
const MAX_ERROR_CHARACTERS = 4000

/** Deepest chain of causes in a log line. */
const MAX_CAUSES = 3

/** Serializes an error with bounded texts, because a client can put long texts into messages. */
export function describeError(error: unknown): unknown {
  return error instanceof Error ? bounded(pino.stdSerializers.errWithCause(error), MAX_CAUSES) : error
}

function bounded(details: object, causes: number): object {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]: [string, unknown]) => {
      if (typeof value === 'string') return [[name, cut(value, MAX_ERROR_CHARACTERS)]]
      if (typeof value !== 'object' || value === null) return [[name, value]]
      return name === 'cause' && causes > 0 ? [[name, bounded(value, causes - 1)]] : []
    }),
  )
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length} characters)`
}

/** The form parser logs all headers of the request at level trace. */
function describeForm({ limits }: { limits?: object }): object {
  return { limits }
}

function describeRequest(request: FastifyRequest): object {
  const { method, url } = request
  const path = cut(url.split('?', 1)[0] ?? '', MAX_PATH_CHARACTERS)
  return { method, url: path, remoteAddress: clientAddress(request) }
}

/** The status, and whose request it was. Routes without a key have no tenant. */
function describeResponse({ statusCode, request }: FastifyReply): object {
  return { statusCode, ...ownerOf(request) }
}

/** Tenant, id of the key and trace of a request, for a log line. Never the key itself. */
export function ownerOf({ tenant, keyId, headers, span }: FastifyRequest): object {
  const trace = readTraceparent(span?.trace.traceparent ?? headers.traceparent)?.traceId
  return { ...(tenant === '' ? {} : { tenant, key: keyId }), ...(trace === undefined ? {} : { trace }) }
}
