import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { KeyStore } from '../ports/key-store.ts'

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

/** Reads the key of a request, known or not. */
export function keyOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.groups?.['key']
}
