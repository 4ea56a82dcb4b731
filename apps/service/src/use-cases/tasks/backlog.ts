import type { Clock } from '../../domain/clock.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { type WorkClass, workClassOf } from '../../domain/task-kinds.ts'
import type { Backlog, BacklogState, TaskKind, TaskStore } from '../../ports/task-store.ts'

/** Options of {@link createBacklog}. */
export interface BacklogOptions {
  readonly tasks: Pick<TaskStore, 'backlog'>
  readonly clock: Clock
  /** Longest estimated wait of an accepted task, in seconds. `Infinity` for no limit. */
  readonly mostSeconds: number
}

/** Age of what is known about a work class, in milliseconds. */
const FRESH_MS = 5000

/** A client that polls ten times until its task starts notices the start soon enough. */
const POLLS = 10
const MOST_POLL_SECONDS = 60

interface Reading {
  readonly at: number
  readonly state: Promise<BacklogState>
}

/** Estimates waits from the state of the queue, which it reads at most once in five seconds for each work class. */
export function createBacklog({ tasks, clock, mostSeconds }: BacklogOptions): Backlog {
  const readings = new Map<WorkClass, Reading>()
  const stateOf = (workClass: WorkClass): Promise<BacklogState> => {
    const known = readings.get(workClass)
    if (known !== undefined && clock.now() - known.at < FRESH_MS) return known.state
    const state = tasks.backlog(workClass)
    readings.set(workClass, { at: clock.now(), state })
    // A failed reading is repeated.
    state.catch(() => readings.delete(workClass))
    return state
  }
  const waitOf = async (tenant: string, kind: TaskKind): Promise<number> =>
    estimateWait(await stateOf(workClassOf(kind)), tenant)
  return {
    async requireShort(tenant, kind) {
      if (mostSeconds === Infinity) return
      const wait = await waitOf(tenant, kind)
      if (wait <= mostSeconds) return
      const message = `A task of this account would wait about ${Math.ceil(wait)} s, longer than the service allows: retry later`
      throw new ServiceError(429, 'queue_too_long', message, { retryAfterSeconds: Math.ceil(wait - mostSeconds) })
    },
    async pollSeconds(tenant, kind) {
      // The task is accepted already: an estimate that fails must not fail its response.
      const wait = await waitOf(tenant, kind).catch(() => 0)
      return Math.max(1, Math.min(MOST_POLL_SECONDS, Math.ceil(wait / POLLS)))
    },
  }
}

/** A queue younger than this tells nothing about the speed, in seconds. Its tasks start soon. */
const YOUNG_SECONDS = 2

/**
 * Estimates how long a new task of a tenant waits, in seconds. Tenants share the workers by cost, so a tenant waits for
 * its own tasks and as much work of each other waiting tenant. Two speeds bound the wait: that of all workers, and that
 * of the tasks that one tenant may run at once.
 */
export function estimateWait(state: BacklogState, tenant: string): number {
  const own = state.waiting.get(tenant) ?? 0
  if (own === 0 || state.seconds < YOUNG_SECONDS) return 0
  const { speed, workers } = measureSpeed(state)
  let before = 0
  for (const cost of state.waiting.values()) before += Math.min(own, cost)
  const share = Math.min(1, state.atOncePerTenant / workers)
  return Math.max(before, own / share) / speed
}

/**
 * Estimates the work of all workers in a second, in milliseconds of estimated cost. All were busy while the oldest task
 * waited. What ended in that time is the speed, if the running tasks had time to end: twice their estimated time. Before
 * that, running tasks count as if they took their estimated time.
 */
function measureSpeed(state: BacklogState): { readonly speed: number; readonly workers: number } {
  const { seconds, tasks, running, endedCost } = state
  const workers = Math.max(1, running)
  // Without a worker, the speed is that of one.
  const waitingCost = [...state.waiting.values()].reduce((sum, cost) => sum + cost, 0)
  const meanCost = running > 0 ? state.runningCost / running : waitingCost / tasks
  const meanSeconds = meanCost / 1000
  const unproven = Math.max(0, 1 - seconds / (2 * meanSeconds))
  // A task may end at any moment: the speed is never zero.
  const ended = Math.max(endedCost, (1 - unproven) * meanCost)
  const speed = (ended + unproven * workers * meanCost) / (seconds + unproven * meanSeconds)
  return { speed, workers }
}
