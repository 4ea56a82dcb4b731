import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { KeyStore } from '../ports/key-store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key it was; empty on routes without a key. */
    tenant: string
  }
}

const BEARER = /^bearer +(?<key>\S+) *$/i

/**
 * Wants a bearer key on every route of this scope (interface: Authentication). It is looked up again each time, so a
 * deleted key is refused at once. Runs before the body is read.
 */
export function authenticate(app: FastifyInstance, keys: KeyStore): void {
  app.addHook('onRequest', async (request) => {
    const key = keyOf(request)
    if (key === undefined) {
      throw new ServiceError(401, 'missing_api_key', 'An API key is required: Authorization: Bearer <API_KEY>')
    }
    const tenant = await keys.tenantOf(key)
    if (tenant === undefined) throw new ServiceError(401, 'invalid_api_key', 'This API key is unknown or was deleted')
    request.tenant = tenant
  })
}

/** The key that a request carries, whether it is known or not. */
export function keyOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.groups?.['key']
}
