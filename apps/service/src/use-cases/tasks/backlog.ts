import { estimateWait } from './estimate-wait.ts'
import type { Clock } from '../../domain/clock.ts'
import { type WorkClass, workClassOf } from '../../domain/task-kinds.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { BacklogState, TaskKind, TaskStore } from '../../ports/task-store.ts'

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
