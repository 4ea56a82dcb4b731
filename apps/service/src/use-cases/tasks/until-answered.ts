import { DatabaseUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'
import type { JsonObject, Lease, TaskError, TaskStore } from '../../ports/task-store.ts'
import type { Work } from '../../domain/usage.ts'
import type { Services } from '../../services.ts'

/** Time between two calls of a database that does not answer, in milliseconds. */
export const RETRY_MS = 1000

type AnsweringServices = Pick<Services, 'clock' | 'outage' | 'log'>

/** The response of a store. */
interface Answer<T> {
  readonly value: T
  /** Whether an earlier call may have had its effect without a response. */
  readonly mayBeRepeated: boolean
}

/**
 * Calls a store of tasks until it has answered. The lease makes the call safe to repeat.
 * @param signal Ends the wait: the lease was lost, or the service stops.
 * @throws The last error after an abort; any error that does not come from an outage
 */
async function untilAnswered<T>(
  { clock, outage, log }: AnsweringServices,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<Answer<T>> {
  let mayBeRepeated = false
  for (;;) {
    try {
      return { value: await call(), mayBeRepeated }
    } catch (error) {
      mayBeRepeated ||= error instanceof OutcomeUnknownError
      if (!(error instanceof OutcomeUnknownError || error instanceof DatabaseUnavailableError)) throw error
      outage.note(clock.now())
      if (signal.aborted) throw error
      log.warn({ err: error }, 'the end of a task waits for the database')
      await pause(clock, signal, RETRY_MS)
      if (signal.aborted) throw error
    }
  }
}

/** Waits. Resolves early when the signal aborts. */
export async function pause(clock: Services['clock'], signal: AbortSignal, milliseconds: number): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const end = (): void => resolve(undefined)
  const cancel = clock.setTimer(milliseconds, end)
  signal.addEventListener('abort', end, { once: true })
  await promise
  cancel()
  signal.removeEventListener('abort', end)
}

/** The end of a task by its worker. */
export interface WorkersEnd {
  readonly lease: Lease
  readonly tenant: string
  /** Ends the wait for a database that does not answer. */
  readonly signal: AbortSignal
  readonly work?: Work | undefined
}

/**
 * Ends a task with its result, through an outage of the database.
 * @returns `false` when the lease was lost: the result is no longer needed
 * @throws OutcomeUnknownError or DatabaseUnavailableError after an abort: the task may name the result
 */
export async function succeedSurely(
  services: AnsweringServices & { readonly tasks: TaskStore },
  { lease, tenant, signal, work }: WorkersEnd,
  result: JsonObject,
): Promise<boolean> {
  const { tasks } = services
  const ended = await untilAnswered(services, signal, () => tasks.succeed(lease, result, work))
  if (ended.value || !ended.mayBeRepeated) return ended.value
  // An earlier call may have ended the task, and nobody heard of it.
  const { value: task } = await untilAnswered(services, signal, () => tasks.find(tenant, lease.taskId))
  return task?.status === 'SUCCESS' && JSON.stringify(task.result) === JSON.stringify(result)
}

/** As {@link succeedSurely}, with an error. @returns `false` when the lease was lost */
export async function failSurely(
  services: AnsweringServices & { readonly tasks: TaskStore },
  { lease, tenant, signal, work }: WorkersEnd,
  error: TaskError,
): Promise<boolean> {
  const { tasks } = services
  const ended = await untilAnswered(services, signal, () => tasks.fail(lease, error, work))
  if (ended.value || !ended.mayBeRepeated) return ended.value
  const { value: task } = await untilAnswered(services, signal, () => tasks.find(tenant, lease.taskId))
  return task?.status === 'FAILED' && JSON.stringify(task.error) === JSON.stringify(error)
}

/** Returns a task to the queue, through an outage of the database. */
export async function releaseSurely(
  services: AnsweringServices & { readonly tasks: TaskStore },
  { lease, signal }: Pick<WorkersEnd, 'lease' | 'signal'>,
  options: Parameters<TaskStore['release']>[1],
): Promise<void> {
  await untilAnswered(services, signal, () => services.tasks.release(lease, options))
}
