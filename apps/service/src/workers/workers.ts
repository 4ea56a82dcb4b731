import { TASK_KINDS, WORK_CLASSES, type WorkClass, workClassOf } from '../domain/task-kinds.ts'
import type { Claim } from '../ports/task-store.ts'
import { CALLS_PER_RECEIVER } from '../ports/webhook-outbox.ts'
import type { Services } from '../services.ts'
import { engineOf } from '../endpoints/index.ts'
import { deliverWebhook } from '../use-cases/webhooks.ts'
import { LEASE_MS } from '../use-cases/tasks/lease.ts'
import { SuspectLoop, WorkerLoop } from './loops.ts'
import { runTask } from './run-task.ts'

/** Maximum webhooks in flight, and per tenant. The numbers are high because they mostly wait. */
const WEBHOOKS = { atOnce: 128, perTenant: 4 * CALLS_PER_RECEIVER } as const

/** The same for slow receivers, which have places of their own: however many there are, they delay no other. */
const SLOW_WEBHOOKS = { atOnce: 32, perTenant: 4 } as const

/** Length of a webhook lease, in milliseconds. It must exceed the deadline of a call. */
const WEBHOOK_LEASE_MS = 60_000

/**
 * Whether a work class can start a task: its engine is up, it does not pause after a stall, and abandoned work leaves a
 * place of its engine.
 */
function canStart(
  { engines: { states: engines, semaphores }, runtime: { stalled } }: Services,
  workClass: WorkClass,
): boolean {
  const kinds = new Set(TASK_KINDS.filter((kind) => workClassOf(kind) === workClass))
  return [...kinds].every((kind) => {
    const engine = engineOf(kind)
    return engines[engine].up && !stalled.isPaused(kind) && stalled.abandonedOf(kinds) < semaphores[engine].size
  })
}

/** Claims a task, unless a suspect runs alone. */
async function claimBeside(
  suspects: SuspectLoop<Claim>,
  claim: () => Promise<Claim | undefined>,
): Promise<{ readonly claim: Claim; readonly leave: () => void } | undefined> {
  const leave = suspects.enter()
  if (leave === undefined) return undefined
  let claimed: Claim | undefined
  try {
    claimed = await claim()
  } finally {
    if (claimed === undefined) leave()
  }
  return claimed && { claim: claimed, leave }
}

function runSuspect(services: Services, claim: Claim): Promise<void> {
  const { taskId: task, crashes, interruptions } = claim
  services.runtime.log.warn({ task, crashes, interruptions }, 'a task that was running at several crashes runs alone')
  return runTask(services, claim)
}

/** The loops that run tasks and webhooks. */
export interface Workers {
  /** Claims no more work. Resolves when all claimed work has ended or is back in the queue. */
  stop(): Promise<void>
}

/**
 * Starts the loops.
 * @param tasksAtOnce Most tasks of a work class that run at once. A task that waits for its engine counts: the share of each
 * tenant must be smaller.
 */
export function startWorkers(services: Services, tasksAtOnce: number): Workers {
  const { clock, log, outage } = services.runtime
  const { dispatch, outbox, probe: probeStores, tasks } = services.stores
  const onError = (error: unknown): void => log.error({ err: error }, 'asynchronous work failed')
  const claimOf = async (workClasses: readonly WorkClass[], suspects: boolean): Promise<Claim | undefined> => {
    const open = workClasses.filter((workClass) => canStart(services, workClass))
    if (open.length === 0 || !(await outage.isOver(() => clock.now(), probeStores))) return undefined
    return tasks.claim(LEASE_MS, { workClasses: open, suspects })
  }
  const suspects = new SuspectLoop<Claim>({
    clock,
    count: () => tasks.countSuspects(),
    claim: () => claimOf(WORK_CLASSES, true),
    work: (claim) => runSuspect(services, claim),
    onOpen: () => wakeAll(),
    onError,
  })
  const taskLoops = WORK_CLASSES.map(
    (workClass) =>
      new WorkerLoop({
        size: tasksAtOnce,
        claim: () => claimBeside(suspects, () => claimOf([workClass], false)),
        work: ({ claim, leave }) => runTask(services, claim).finally(leave),
        onError,
        clock,
      }),
  )
  const wakeAll = (): void => taskLoops.forEach((loop) => loop.wake())
  const webhookLoops = [WEBHOOKS, SLOW_WEBHOOKS].map(
    ({ atOnce, perTenant: max }, lane) =>
      new WorkerLoop({
        size: atOnce,
        claim: () => outbox.claim(WEBHOOK_LEASE_MS, { slow: lane === 1, max }),
        work: (claim) => deliverWebhook(services, claim),
        onError,
        clock,
      }),
  )
  const wakeWebhooks = (): void => webhookLoops.forEach((loop) => loop.wake())
  const leave = [dispatch.listen('task', wakeAll), dispatch.listen('webhook', wakeWebhooks)]
  return {
    async stop() {
      for (const stopListening of leave) stopListening()
      await Promise.all([suspects.stop(), ...taskLoops.map((loop) => loop.stop())])
      await Promise.all(webhookLoops.map((loop) => loop.stop()))
    },
  }
}
