import type { RequestHandler } from 'express'
import type { StatusAnswer } from '../../shared/api.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Answers whether the service can be used. */
export function readStatus(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    const { embedded } = upstream
    const service = await upstream.state()
    response.set('cache-control', 'no-store').json({ service, embedded } satisfies StatusAnswer)
  }
}

/** Starts a stopped service at once, then answers as {@link readStatus}. */
export function retryService(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    upstream.retry()
    const { embedded } = upstream
    const service = await upstream.state()
    response.json({ service, embedded } satisfies StatusAnswer)
  }
}
