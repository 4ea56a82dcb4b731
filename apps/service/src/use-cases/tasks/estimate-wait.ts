import type { BacklogState } from '../../ports/task-store.ts'

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
