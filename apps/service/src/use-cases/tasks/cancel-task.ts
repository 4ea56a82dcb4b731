import type { TaskError } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { deleteUnused } from '../storage/delete-unused.ts'

/** The error of a cancelled task. */
export const CANCELLED: TaskError = { code: 'task_cancelled', message: 'The task was cancelled' }

/**
 * Cancels a queued or running task: it fails with `task_cancelled`, and its webhook is called. Work on it stops
 * at once. An ended task stays as it is.
 * @returns `false` for an unknown id and for another tenant's
 */
export async function cancelTask(services: Services, tenant: string, id: string): Promise<boolean> {
  const { tasks, inputs, running, dispatch, reserve } = services
  // The response frees space, so it also works on a full disk.
  const cancellation = await reserve.use(() => tasks.cancel(tenant, id, CANCELLED))
  if (cancellation === undefined) return false
  running.stop(id)
  if (cancellation.cancelled) dispatch.announce('webhook')
  if (cancellation.input !== undefined) await deleteUnused(services, inputs, cancellation.input)
  return true
}
