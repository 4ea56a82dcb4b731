import { signWebhook } from '@svc-audio/core/webhooks'
import { traceFields } from '../domain/task-trace.ts'
import { inSpan, type Span } from '../ports/tracer.ts'
import {
  ForbiddenAddressError,
  NoResponseError,
  type WebhookClaim,
  type WebhookOutcome,
} from '../ports/webhook-outbox.ts'
import type { Services } from '../services.ts'
import { viewTask } from './tasks/task.ts'

/** Lifetime of a webhook, from the end of its task, in milliseconds: a day. */
export const WEBHOOK_LIFETIME_MS = 24 * 3600 * 1000

/** Longest time between two attempts, in milliseconds. */
const MAX_DELAY_MS = 4 * 3600 * 1000

/** Returns the delay after an attempt, in milliseconds: 5 s, 20 s, 80 s, 5 min, 21 min, 85 min, then 4 h. */
export function webhookDelay(attempt: number): number {
  return Math.min(5000 * 4 ** (attempt - 1), MAX_DELAY_MS)
}

/**
 * Calls a webhook once and records the outcome. The call is a POST of the task object, signed by Standard Webhooks.
 * Any 2xx is a success. Any other outcome is retried with growing delays for a day. The call continues the trace of the
 * request that created the task.
 */
export function deliverWebhook(services: Services, claim: WebhookClaim): Promise<void> {
  const { id, attempt, task } = claim
  const attributes = { 'svc_audio.webhook.id': id, 'svc_audio.task.id': task.id, 'svc_audio.webhook.attempt': attempt }
  const options = { kind: 'client', parent: task.trace ?? {}, attributes } as const
  return inSpan(services.runtime.tracer, 'webhook', options, (span) => deliver(services, claim, span))
}

async function deliver(services: Services, claim: WebhookClaim, span: Span): Promise<void> {
  const { outbox } = services.stores
  const { sender, stopping, log } = services.runtime
  let outcome: string
  let timedOut = false
  try {
    const status = await sender.post(await composeWebhook(services, claim, span), stopping)
    outcome = `HTTP ${status}`
    span.set('http.response.status_code', status)
    if (status >= 200 && status < 300) {
      await outbox.record(claim, { outcome, next: 'delivered' })
      services.runtime.totals.webhookCalls.delivered += 1
      return
    }
  } catch (error) {
    if (stopping.aborted) {
      await outbox.release(claim)
      return
    }
    outcome = describe(error)
    timedOut = error instanceof NoResponseError
  }
  const next = nextAttempt(claim, services.runtime.clock.now())
  services.runtime.totals.webhookCalls[next === 'failed' ? 'failed' : 'retried'] += 1
  // The log contains neither the address nor the response: both can contain secrets.
  const { id, attempt, task } = claim
  log.warn({ webhook: id, task: task.id, attempt, outcome, ...traceFields(task.trace) }, 'a webhook call failed')
  await outbox.record(claim, { outcome, next, timedOut })
}

async function composeWebhook(
  { stores: { secrets }, objects: { links }, runtime: { clock } }: Services,
  { id, url, task }: WebhookClaim,
  span: Span,
) {
  const body = JSON.stringify(viewTask(task, links))
  const timestamp = Math.floor(clock.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-audio-service',
    ...span.trace,
    ...(await signWebhook({ id, timestamp, body, secret: await secrets.secretsOf(task.tenant) })),
  }
  return { url, headers, body }
}

function nextAttempt({ attempt, createdAt }: WebhookClaim, now: number): WebhookOutcome['next'] {
  const delay = webhookDelay(attempt)
  return now + delay > createdAt + WEBHOOK_LIFETIME_MS ? 'failed' : delay
}

/** Describes an error in a few words. The system's message can contain an address: only its code is used. */
function describe(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'address refused'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'string') return code
  return error instanceof NoResponseError ? error.message : 'no connection'
}
