import type { Clock } from '../../domain/clock.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { TaskStore } from '../../ports/task-store.ts'

/** Options of {@link createBacklog}. */
export interface BacklogOptions {
  readonly tasks: Pick<TaskStore, 'backlog'>
  readonly clock: Clock
  /** Longest estimated wait of an accepted task, in seconds. `Infinity` for no limit. */
  readonly mostSeconds: number
}

/** Age of an estimate, in milliseconds. */
const FRESH_MS = 5000

/** Most tenants with an estimate. */
const MOST_TENANTS = 10_000

/** A client that polls ten times until its task starts notices the start soon enough. */
const POLLS = 10
const MOST_POLL_SECONDS = 60

interface Estimate {
  readonly at: number
  readonly seconds: Promise<number>
}

/** A queue younger than this tells nothing about the speed, in seconds. Its tasks start soon. */
const YOUNG_SECONDS = 2

/**
 * Estimates waits. Tenants take turns, so a tenant waits for its own tasks and as many of each other waiting tenant, but
 * not for more than all. The speed is that of the time in which the oldest task has waited, at most a minute: all
 * workers were busy then.
 */
export function createBacklog({ tasks, clock, mostSeconds }: BacklogOptions): Backlog {
  const estimates = new Map<string, Estimate>()
  const estimate = async (tenant: string): Promise<number> => {
    const { own, all, tenants, seconds, ended } = await tasks.backlog(tenant)
    if (seconds < YOUNG_SECONDS) return 0
    const before = Math.min(all, own * tenants)
    // Without an end, it takes at least as long again as the oldest task has waited.
    return (before * seconds) / Math.max(1, ended)
  }
  const waitOf = (tenant: string): Promise<number> => {
    const known = estimates.get(tenant)
    if (known !== undefined && clock.now() - known.at < FRESH_MS) return known.seconds
    if (estimates.size >= MOST_TENANTS) estimates.clear()
    const seconds = estimate(tenant)
    estimates.set(tenant, { at: clock.now(), seconds })
    // A failed estimate is repeated.
    seconds.catch(() => estimates.delete(tenant))
    return seconds
  }
  return {
    async requireShort(tenant) {
      if (mostSeconds === Infinity) return
      const wait = await waitOf(tenant)
      if (wait <= mostSeconds) return
      const message = `A task of this account would wait about ${Math.ceil(wait)} s, longer than the service allows: retry later`
      throw new ServiceError(429, 'queue_too_long', message, { retryAfterSeconds: Math.ceil(wait - mostSeconds) })
    },
    async pollSeconds(tenant) {
      // The task is accepted already: an estimate that fails must not fail its answer.
      const wait = await waitOf(tenant).catch(() => 0)
      return Math.max(1, Math.min(MOST_POLL_SECONDS, Math.ceil(wait / POLLS)))
    },
  }
}
