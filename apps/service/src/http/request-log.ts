import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

/** Levels at which a successful request writes nothing. */
const QUIET: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent'])

/**
 * Makes the logger of one request. Each line has the request's id. At the quiet levels the first line makes the logger,
 * because a logger for each request takes a third of a small answer's time.
 */
export const requestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (logger, bindings, options) => {
  const make = (): FastifyBaseLogger => logger.child(bindings, options)
  return QUIET.has(logger.level) ? lateLog(logger, make) : make()
}

function lateLog(parent: FastifyBaseLogger, make: () => FastifyBaseLogger): FastifyBaseLogger {
  let made: FastifyBaseLogger | undefined
  const own = (): FastifyBaseLogger => (made ??= make())
  const write =
    (level: 'warn' | 'error' | 'fatal') =>
    (...line: unknown[]): void =>
      void Reflect.apply(own()[level], own(), line)
  // A line below the parent's level is never written.
  const { level, trace, debug, info, silent } = parent
  const loud = { warn: write('warn'), error: write('error'), fatal: write('fatal') }
  return { level, trace, debug, info, silent, ...loud, child: (...how) => own().child(...how) }
}
