import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify'
import { type UsageKind, WorkMeter } from '../domain/usage.ts'
import type { Services } from '../services.ts'
import { whenResponseEnds } from './response-end.ts'

const ONE_REQUEST = { requests: 1 }

/** Counts the successful requests of each tenant in this scope. */
export function countRequests(scope: FastifyInstance, { usageCounter }: Pick<Services, 'usageCounter'>): void {
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
  { usageCounter, totals }: Pick<Services, 'usageCounter' | 'totals'>,
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
