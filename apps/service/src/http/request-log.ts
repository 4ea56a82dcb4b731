import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify'

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
