import type { RequestHandler } from 'express'
import type { StatusResponse } from '../../shared/api.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Answers whether the service can be used. */
export function readStatus(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    response.set('cache-control', 'no-store').json(await statusOf(upstream))
  }
}

/** Starts a stopped service at once, then answers as {@link readStatus}. */
export function retryService(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    upstream.retry()
    response.json(await statusOf(upstream))
  }
}

async function statusOf(upstream: Upstream): Promise<StatusResponse> {
  return { service: await upstream.state(), embedded: upstream.embedded, process: upstream.pid() }
}
