import type { FastifyInstance, FastifyReply, FastifyRequest, preSerializationHookHandler } from 'fastify'
import type { AuditRecord } from '../ports/audit-store.ts'
import { type AuditTrail, CHANGING_METHODS } from '../use-cases/audit/audit-trail.ts'
import { whenResponseEnds } from './response-end.ts'
import { clientAddress } from './client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of what the request made, deleted or cancelled, for the audit log. Empty before, and without one. */
    subject: string
  }
}

/**
 * Records every later request of this scope that makes, deletes or cancels something, when its response has ended. Call
 * it behind `authenticate`, before limits and routes are added. Requests that only read are not recorded.
 */
export function auditRequests(app: FastifyInstance, trail: AuditTrail): void {
  app.addHook('onRoute', (route) => {
    if (!CHANGING_METHODS.has(route.method)) return
    route.preSerialization = [noteSubject, route.preSerialization ?? []].flat()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!CHANGING_METHODS.has(request.method)) return done()
    const { endpoint } = request.routeOptions.config
    if (endpoint !== undefined)
      whenResponseEnds(reply, () => noteRequest(trail, endpoint.operationId, { request, reply }))
    done()
  })
}

/** Answers name what they are about in `id`. */
const noteSubject: preSerializationHookHandler = (request, _reply, body, done) => {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') {
    request.subject = body.id
  }
  done(null, body)
}

/** A request and its response. */
interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function noteRequest(trail: AuditTrail, action: string, exchange: Exchange): void {
  const { request, reply } = exchange
  const outcome = outcomeOf(reply)
  const isDone = outcome === 'done' || outcome === 'cut'
  trail.note({
    action,
    outcome,
    tenant: request.tenant,
    key: request.keyId,
    ...(isDone && request.subject !== '' ? { id: request.subject } : {}),
    address: clientAddress(request),
    request: request.id,
    ...(reply.raw.headersSent ? { status: reply.statusCode } : {}),
  })
}

function outcomeOf({ raw, statusCode }: FastifyReply): AuditRecord['outcome'] {
  if (statusCode >= 500) return 'failed'
  if (statusCode >= 400) return 'refused'
  return raw.writableFinished ? 'done' : 'cut'
}

/** Records a request whose key was refused, or whose tenant is suspended. */
export function auditRefusedKey(trail: AuditTrail, request: FastifyRequest, status: number): void {
  const { id, tenant, keyId: key } = request
  const whose = tenant === '' ? {} : { tenant, key }
  const address = clientAddress(request)
  trail.note({ action: 'authenticate', outcome: 'refused', ...whose, address, request: id, status })
}
