import type { Services } from '../services.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { LEASE_MS } from './hold-lease.ts'
import { Pump } from './pump.ts'
import { runTask } from './run-task.ts'
import { kindsWithoutEngine } from './task-engines.ts'

/** Webhooks called at the same time: they mostly wait. */
const WEBHOOKS_AT_ONCE = 64

/** Of these, calls of one tenant, so that receivers that hang leave room for those of others. */
export const WEBHOOKS_AT_ONCE_PER_TENANT = 4

/** Longer than a call may take. */
const WEBHOOK_LEASE_MS = 60_000

/** Whoever does the asynchronous work. */
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
  const taskPump = new Pump({
    size: tasksAtOnce,
    claim: () => tasks.claim(LEASE_MS, { except: kindsWithoutEngine(services.engines) }),
    work: (claim) => runTask(services, claim),
    onError,
    clock,
  })
  const webhookPump = new Pump({
    size: WEBHOOKS_AT_ONCE,
    claim: () => outbox.claim(WEBHOOK_LEASE_MS, WEBHOOKS_AT_ONCE_PER_TENANT),
    work: (claim) => deliverWebhook(services, claim),
    onError,
    clock,
  })
  const leave = [dispatch.listen('task', () => taskPump.wake()), dispatch.listen('webhook', () => webhookPump.wake())]
  return {
    async stop() {
      for (const stopListening of leave) stopListening()
      await taskPump.stop()
      await webhookPump.stop()
    },
  }
}
