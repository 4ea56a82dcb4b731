import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { KeyStore } from '../ports/key-store.ts'
import type { FailedKeys } from './failed-keys.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Tenant of the key. Empty on routes without a key. */
    tenant: string
  }
}

const BEARER = /^bearer +(?<key>\S+) *$/i

/**
 * Requires a bearer key on every route of this scope (interface: Authentication). Looks the key up for every request,
 * so a deleted key is refused at once. Runs before the body is read.
 *
 * @param failed Refuses addresses with too many wrong keys.
 */
export function authenticate(app: FastifyInstance, keys: KeyStore, failed: FailedKeys): void {
  app.addHook('onRequest', async (request) => {
    const key = keyOf(request)
    if (key === undefined) {
      throw new ServiceError(401, 'missing_api_key', 'An API key is required: Authorization: Bearer <API_KEY>')
    }
    const { ip } = request
    const seconds = failed.waitFor(ip, key)
    if (seconds > 0) throw tooManyFailures(seconds)
    const tenant = await keys.tenantOf(key)
    if (tenant === undefined) {
      failed.fail(ip)
      throw new ServiceError(401, 'invalid_api_key', 'This API key is unknown or was deleted')
    }
    failed.succeed(ip, key)
    request.tenant = tenant
  })
}

function tooManyFailures(retryAfterSeconds: number): ServiceError {
  const message = 'Too many wrong API keys came from this address: retry later'
  return new ServiceError(429, 'too_many_failed_keys', message, { retryAfterSeconds })
}

/** Reads the key of a request, known or not. */
export function keyOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.groups?.['key']
}
