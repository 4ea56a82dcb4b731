import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onResponseHookHandler,
  preSerializationHookHandler,
} from 'fastify'
import { type UsageKind, WorkMeter } from '../domain/usage.ts'
import type { AuditRecord } from '../ports/audit-store.ts'
import type { Using } from '../services.ts'
import { type AuditTrail, CHANGING_METHODS } from '../use-cases/audit-trail.ts'
import { clientAddress } from './request.ts'
import { whenResponseEnds } from './response-end.ts'

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
    const isChanging = CHANGING_METHODS.has(request.method)
    if (!isChanging && request.headers.upgrade === undefined) return done()
    const { endpoint } = request.routeOptions.config
    if (endpoint !== undefined && (isChanging || endpoint.isAudited === true))
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

/** Status of an upgraded request. */
const SWITCHING_PROTOCOLS = 101

function outcomeOf({ raw, statusCode }: FastifyReply): AuditRecord['outcome'] {
  if (statusCode >= 500) return 'failed'
  if (statusCode >= 400) return 'refused'
  // The connection of an upgraded request ends without a response.
  if (statusCode === SWITCHING_PROTOCOLS) return 'done'
  return raw.writableFinished ? 'done' : 'cut'
}

/** Records a request whose key was refused, or whose tenant is suspended. */
export function auditRefusedKey(trail: AuditTrail, request: FastifyRequest, status: number): void {
  const { id, tenant, keyId: key } = request
  const whose = tenant === '' ? {} : { tenant, key }
  const address = clientAddress(request)
  trail.note({ action: 'authenticate', outcome: 'refused', ...whose, address, request: id, status })
}

const ONE_REQUEST = { requests: 1 }

/** Counts the successful requests of each tenant in this scope. */
export function countRequests(
  scope: FastifyInstance,
  { runtime: { usageCounter } }: Using<'runtime.usageCounter'>,
): void {
  // A hook for each route knows its kind. A request makes a new object of all its route's options when it is asked.
  scope.addHook('onRoute', (route) => {
    const kind = route.config?.endpoint?.usage ?? 'other'
    const count: onResponseHookHandler = ({ tenant }, reply, done) => {
      if (tenant !== '' && reply.statusCode < 400) usageCounter.note(tenant, kind, ONE_REQUEST)
      done()
    }
    route.onResponse = [count, route.onResponse ?? []].flat()
  })
}

/** Measures the work of a call without a task. It is counted when the response ends, also one that is cut. */
export function meterCall(
  { runtime: { usageCounter, totals } }: Using<'runtime.usageCounter' | 'runtime.totals'>,
  reply: FastifyReply,
  kind: UsageKind,
): WorkMeter {
  const meter = new WorkMeter(totals)
  const { tenant } = reply.request
  whenResponseEnds(reply, () => {
    const { work } = meter
    if (work.characters > 0 || work.speechMs > 0 || work.recordingMs > 0) usageCounter.note(tenant, kind, work)
  })
  return meter
}
