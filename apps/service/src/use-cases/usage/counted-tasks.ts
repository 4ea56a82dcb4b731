import type { WorkTotals } from '../../domain/usage.ts'
import type { TaskStore } from '../../ports/task-store.ts'

/** Counts the tasks that this process claims and ends, and the leases that it loses. */
export function countedTasks(tasks: TaskStore, totals: WorkTotals): TaskStore {
  return {
    ...tasks,
    async claim(milliseconds, options) {
      const started = performance.now()
      const claim = await tasks.claim(milliseconds, options)
      totals.claims.note(performance.now() - started)
      if (claim !== undefined) totals.attempts += 1
      return claim
    },
    async renew(lease, milliseconds) {
      const held = await tasks.renew(lease, milliseconds)
      if (!held) totals.lostLeases += 1
      return held
    },
    async succeed(lease, result, work) {
      const ended = await tasks.succeed(lease, result, work)
      if (ended) totals.succeeded += 1
      return ended
    },
    async fail(lease, error, work) {
      const ended = await tasks.fail(lease, error, work)
      if (ended) totals.failed += 1
      return ended
    },
    async cancel(tenant, id, error) {
      const cancellation = await tasks.cancel(tenant, id, error)
      if (cancellation?.cancelled === true) totals.failed += 1
      return cancellation
    },
    async expireInputs(before, error) {
      const inputs = await tasks.expireInputs(before, error)
      totals.failed += inputs.length
      return inputs
    },
  }
}
