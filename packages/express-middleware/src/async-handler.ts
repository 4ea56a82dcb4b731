import { discardUpload, type FailureLogger, logFailure } from '@svc-audio/upload'
import type { NextFunction, Request, RequestHandler, Response } from 'express'

/** Options of every handler of this package. */
export interface HandlerOptions {
  /**
   * Where failures with status 500 and above are logged, with their cause, if {@link audioErrors} has not logged them.
   * `false` logs nothing. @default console
   */
  readonly logger?: FailureLogger | false
}

/**
 * A handler made of asynchronous work, for Express 4 and 5. Express 4 ignores a returned promise: its rejection would end
 * the process. Every error of the work goes to `next`.
 *
 * @param work Resolves with `true` when the next handler is to run.
 */
export function asyncHandler(
  { logger }: HandlerOptions,
  work: (request: Request, response: Response) => Promise<boolean>,
): RequestHandler {
  const run = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      if (!(await work(request, response))) return
    } catch (error) {
      // An option that is a function may refuse the request before anything is read of it.
      discardUpload(request)
      onClose(response, () => logFailure(error, { logger, where: whereOf(request) }))
      // The event stream has already sent its final event. Express would cut the connection before that event was sent.
      if (response.writableEnded) onClose(response, () => next(error))
      else next(error)
      return
    }
    // Outside the `try`: errors of later handlers belong to them.
    next()
  }
  return (request, response, next) => void run(request, response, next)
}

/** Method and path for a log line. The query is left out: it may contain private data. */
export function whereOf({ method, originalUrl }: Request): string {
  return `${method} ${originalUrl.replace(/\?.*/s, '')}`
}

function onClose(response: Response, run: () => void): void {
  if (response.closed) run()
  else response.once('close', run)
}
