import type { Services } from '../../services.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import { engineOf, TASK_KINDS } from '../operations/registry.ts'
import { deliverWebhook } from '../webhooks/deliver-webhook.ts'
import { LEASE_MS } from './hold-lease.ts'
import { WorkerLoop } from './worker-loop.ts'
import { runTask } from './run-task.ts'
import { kindsWithoutEngine } from './task-engines.ts'

/** Most webhooks in flight. The number is high because they mostly wait. */
const WEBHOOKS_AT_ONCE = 64

/** Most webhooks of one tenant in flight. Its slow receivers do not block other tenants. */
export const WEBHOOKS_AT_ONCE_PER_TENANT = 4

/** Length of a webhook lease, in milliseconds. It must exceed the deadline of a call. */
const WEBHOOK_LEASE_MS = 60_000

/** The kinds of each engine. Each lane has its own workers: long transcriptions do not delay speech. */
const LANES: readonly ReadonlySet<TaskKind>[] = [...new Set(TASK_KINDS.map(engineOf))].map(
  (engine) => new Set(TASK_KINDS.filter((kind) => engineOf(kind) === engine)),
)

/** Whether a lane pauses after a stall, or abandoned work may hold all places of its engine. */
function hasStalled({ semaphores, stalled }: Services, kinds: ReadonlySet<TaskKind>): boolean {
  const [kind] = kinds
  if (kind === undefined) return false
  return stalled.isPaused(kind) || stalled.abandonedOf(kinds) >= semaphores[engineOf(kind)].size
}

/** The loops that run tasks and webhooks. */
export interface Workers {
  /** Claims no more work. Resolves when all claimed work has ended or is back in the queue. */
  stop(): Promise<void>
}

/**
 * Starts the loops.
 * @param tasksAtOnce Most tasks of a lane that run at once. A task that waits for its engine counts: the share of each
 * tenant must be smaller.
 */
export function startWorkers(services: Services, tasksAtOnce: number): Workers {
  const { clock, dispatch, log, outage, outbox, tasks } = services
  const onError = (error: unknown): void => log.error({ err: error }, 'asynchronous work failed')
  const taskLoops = LANES.map(
    (kinds) =>
      new WorkerLoop({
        size: tasksAtOnce,
        claim: async () => {
          if (hasStalled(services, kinds) || outage.lasts(clock.now())) return undefined
          const without = new Set(kindsWithoutEngine(services.engines))
          return tasks.claim(LEASE_MS, { except: TASK_KINDS.filter((kind) => !kinds.has(kind) || without.has(kind)) })
        },
        work: (claim) => runTask(services, claim),
        onError,
        clock,
      }),
  )
  const webhookLoop = new WorkerLoop({
    size: WEBHOOKS_AT_ONCE,
    claim: () => outbox.claim(WEBHOOK_LEASE_MS, WEBHOOKS_AT_ONCE_PER_TENANT),
    work: (claim) => deliverWebhook(services, claim),
    onError,
    clock,
  })
  const leave = [
    dispatch.listen('task', () => taskLoops.forEach((loop) => loop.wake())),
    dispatch.listen('webhook', () => webhookLoop.wake()),
  ]
  return {
    async stop() {
      for (const stopListening of leave) stopListening()
      await Promise.all(taskLoops.map((loop) => loop.stop()))
      await webhookLoop.stop()
    },
  }
}
