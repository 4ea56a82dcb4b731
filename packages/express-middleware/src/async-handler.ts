import type { NextFunction, Request, RequestHandler, Response } from 'express'

/**
 * A handler made of asynchronous work, for Express 4 and 5: version 4 ignores a returned promise, and its rejection would
 * end the process. Whatever the work throws goes to `next`.
 *
 * @param work Resolves with `true` when the next handler is to run.
 */
export function asyncHandler(work: (request: Request, response: Response) => Promise<boolean>): RequestHandler {
  const run = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      if (!(await work(request, response))) return
    } catch (error) {
      next(error)
      return
    }
    // Not within the `try`: errors of later handlers are theirs.
    next()
  }
  return (request, response, next) => void run(request, response, next)
}
