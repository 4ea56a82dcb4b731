import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { type Logger, pino } from 'pino'
import { readTraceparent } from '../domain/task-trace.ts'
import type { LogLevel } from '../service-options.ts'
import { clientAddress } from './request.ts'

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

/** Options of {@link boundedLog}. */
interface BoundedLogOptions {
  /** Maximum bytes per second over a longer time. @default 262144 */
  readonly bytesPerSecond?: number
  /** Maximum bytes at once. @default 4194304 */
  readonly burst?: number
  /** Milliseconds of a clock that never goes back. @default performance.now */
  readonly now?: () => number
}

/** A destination of log lines. */
interface LogDestination {
  write(line: string): unknown
}

/**
 * Bounds the bytes of a log, so that no client fills the disk with lines. Lines over the bound are dropped. The next
 * written line is preceded by their number.
 */
export function boundedLog(destination: LogDestination, options: BoundedLogOptions = {}): LogDestination {
  const { bytesPerSecond = 256 * 1024, burst = 4 * 1024 * 1024, now = () => performance.now() } = options
  let room = burst
  let last = now()
  let dropped = 0
  return {
    write(line) {
      const time = now()
      room = Math.min(burst, room + ((time - last) / 1000) * bytesPerSecond)
      last = time
      if (line.length > room) {
        dropped += 1
        return
      }
      if (dropped > 0) {
        destination.write(
          `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg: 'log lines were dropped' })}\n`,
        )
        dropped = 0
      }
      room -= line.length
      destination.write(line)
    },
  }
}

/** Levels at which a successful request writes nothing. */
const QUIET: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent'])

/**
 * Makes the logger of one request. Each line has the request's id. At the quiet levels the first line makes the logger,
 * because a logger for each request takes a third of a small response's time.
 */
export const requestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (logger, bindings, options) => {
  const make = (): FastifyBaseLogger => logger.child(bindings, options)
  return QUIET.has(logger.level) ? new LateLog(logger, make) : make()
}

/** Writes two lines for each request, but none at the quiet levels: a line's fields cost more than the level's check. */
export function requestLines({ level }: FastifyBaseLogger): LogController {
  return new LogController({ disableRequestLogging: QUIET.has(level) })
}

/** A logger that is made for its first line. A class: each request makes one, and its methods need no memory. */
class LateLog implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, make: () => FastifyBaseLogger) {
    this.#parent = parent
    this.#make = make
  }

  get level(): string {
    return this.#parent.level
  }

  // A line below the parent's level is never written.
  trace(): void {}
  debug(): void {}
  info(): void {}
  silent(): void {}

  warn(...line: unknown[]): void {
    Reflect.apply(this.#own().warn, this.#own(), line)
  }

  error(...line: unknown[]): void {
    Reflect.apply(this.#own().error, this.#own(), line)
  }

  fatal(...line: unknown[]): void {
    Reflect.apply(this.#own().fatal, this.#own(), line)
  }

  child(...how: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own().child(...how)
  }

  #own(): FastifyBaseLogger {
    return (this.#made ??= this.#make())
  }
}
