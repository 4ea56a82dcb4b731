import type { Services } from '../../services.ts'
import { deliverWebhook } from '../webhooks/deliver-webhook.ts'
import { LEASE_MS } from './hold-lease.ts'
import { WorkerLoop } from './worker-loop.ts'
import { runTask } from './run-task.ts'
import { kindsWithoutEngine } from './task-engines.ts'

/** Webhooks called at the same time: they mostly wait. */
const WEBHOOKS_AT_ONCE = 64

/** Of these, calls of one tenant, so that receivers that hang leave room for those of others. */
export const WEBHOOKS_AT_ONCE_PER_TENANT = 4

/** Longer than a call may take. */
const WEBHOOK_LEASE_MS = 60_000

/** Anyone who does the asynchronous work. */
export interface Workers {
  /** Takes no more work. Resolves when all that was taken has ended or was handed back. */
  stop(): Promise<void>
}

/**
 * Begins to work on tasks and webhooks.
 * @param tasksAtOnce Tasks worked on at the same time.
 */
export function startWorkers(services: Services, tasksAtOnce: number): Workers {
  const { clock, dispatch, log, outbox, tasks } = services
  const onError = (error: unknown): void => log.error({ err: error }, 'asynchronous work failed')
  const taskLoop = new WorkerLoop({
    size: tasksAtOnce,
    claim: () => tasks.claim(LEASE_MS, { except: kindsWithoutEngine(services.engines) }),
    work: (claim) => runTask(services, claim),
    onError,
    clock,
  })
  const webhookLoop = new WorkerLoop({
    size: WEBHOOKS_AT_ONCE,
    claim: () => outbox.claim(WEBHOOK_LEASE_MS, WEBHOOKS_AT_ONCE_PER_TENANT),
    work: (claim) => deliverWebhook(services, claim),
    onError,
    clock,
  })
  const leave = [dispatch.listen('task', () => taskLoop.wake()), dispatch.listen('webhook', () => webhookLoop.wake())]
  return {
    async stop() {
      for (const stopListening of leave) stopListening()
      await taskLoop.stop()
      await webhookLoop.stop()
    },
  }
}
