import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ServiceError } from '../domain/service-error.ts'
import { errorBody } from './error-handler.ts'

/** Answers a request that never reaches the framework, as the framework answers errors. */
export function sendRefusal(response: ServerResponse, error: ServiceError): void {
  response.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  })
  response.end(JSON.stringify(errorBody(error)))
}
