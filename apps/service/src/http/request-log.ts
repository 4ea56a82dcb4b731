import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

/** Levels at which a request that goes well writes nothing. */
const QUIET: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent'])

/**
 * The log of one request, whose lines carry its id. At the quiet levels it is made with its first line: to make one for
 * each request takes a third of the time that a small answer takes.
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
  // What the parent's level leaves out it does not write, by any caller.
  const { level, trace, debug, info, silent } = parent
  const loud = { warn: write('warn'), error: write('error'), fatal: write('fatal') }
  return { level, trace, debug, info, silent, ...loud, child: (...how) => own().child(...how) }
}
