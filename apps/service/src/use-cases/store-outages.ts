import { errorCode } from '../domain/error-code.ts'
import { DatabaseUnavailableError, isStoreError, OutcomeUnknownError } from '../domain/errors.ts'
import type { Work } from '../domain/usage.ts'
import type { JsonObject } from '../ports/response-store.ts'
import type { Lease, TaskError, TaskStore } from '../ports/task-store.ts'
import type { Services, Using } from '../services.ts'

/** Time between two attempts of a start, in milliseconds. */
const START_RETRY_MS = 1000

/** SQLSTATEs of a wrong password, user or database name: no wait mends them. */
const MISTAKES = /^(?:28|3D)/

/**
 * Does a part of the start, and repeats it while a store does not work. The process listens in the meantime, and
 * `/readyz` says `starting`.
 * @throws What the part throws for any other reason, a wrong password or database name included
 */
export async function awaitStores<T>(
  { runtime: { clock, log } }: Using<'runtime.clock' | 'runtime.log'>,
  part: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await part()
    } catch (error) {
      const cause: unknown = error instanceof Error ? error.cause : undefined
      if (!isStoreError(error) || MISTAKES.test(errorCode(cause))) throw error
      log.warn({ err: error }, 'the start waits for a store')
      await new Promise<void>((resolve) => void clock.setTimer(START_RETRY_MS, resolve))
    }
  }
}

/** Longest time in which a finished result waits for the stores, in milliseconds. Then its task is made again. */
const RESULT_PATIENCE_MS = 10 * 60_000

/** Time between two attempts to store it, in milliseconds. */
const STORE_RETRY_MS = 2000

/** A result to store. */
interface NewResult {
  readonly tenant: string
  /**
   * Makes the name of the object. An attempt never uses the name of an earlier one: the deletion of that object may
   * still be on its way.
   */
  readonly nameOf: (attempt: number) => string
  /** The lease was lost, or the service stops. */
  readonly signal: AbortSignal
}

/**
 * Stores the result of a task. In a cluster it is first written to this machine, and stored again while a store does
 * not work: the work is not done twice.
 * @returns The name of the stored object.
 * @throws What the store throws; after {@link RESULT_PATIENCE_MS} or an abort, the error of the outage
 */
export async function storeThroughOutage(
  services: Using<
    'stores.shared' | 'objects.results' | 'objects.scratch' | 'runtime.outage' | 'runtime.clock' | 'runtime.log'
  >,
  { tenant, nameOf, signal }: NewResult,
  audio: AsyncIterable<Uint8Array>,
): Promise<string> {
  const { results, scratch } = services.objects
  const { shared } = services.stores
  const { outage, clock, log } = services.runtime
  const own = results.of(tenant)
  if (!shared) {
    await own.put(nameOf(1), audio)
    return nameOf(1)
  }
  const latest = clock.now() + RESULT_PATIENCE_MS
  return scratch.withCopy(audio, async (read) => {
    for (let attempt = 1; ; attempt += 1) {
      const name = nameOf(attempt)
      try {
        await own.put(name, read())
        return name
      } catch (error) {
        if (!isStoreError(error)) throw error
        outage.note(clock.now())
        if (signal.aborted || clock.now() >= latest) throw error
        log.warn({ err: error, object: name }, 'a finished result waits for a store')
        await pause(clock, signal, STORE_RETRY_MS)
        if (signal.aborted) throw error
      }
    }
  })
}

/** Time between two calls of a database that does not answer, in milliseconds. */
export const RETRY_MS = 1000

type AnsweringServices = Using<'runtime.clock' | 'runtime.outage' | 'runtime.log'>
type EndingServices = AnsweringServices & Using<'stores.tasks'>

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
  { runtime: { clock, outage, log } }: AnsweringServices,
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
async function pause(clock: Services['runtime']['clock'], signal: AbortSignal, milliseconds: number): Promise<void> {
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
  services: EndingServices,
  { lease, tenant, signal, work }: WorkersEnd,
  result: JsonObject,
): Promise<boolean> {
  const { tasks } = services.stores
  const ended = await untilAnswered(services, signal, () => tasks.succeed(lease, result, work))
  if (ended.value || !ended.mayBeRepeated) return ended.value
  // An earlier call may have ended the task, and nobody heard of it.
  const { value: task } = await untilAnswered(services, signal, () => tasks.find(tenant, lease.taskId))
  return task?.status === 'SUCCESS' && JSON.stringify(task.result) === JSON.stringify(result)
}

/** As {@link succeedSurely}, with an error. @returns `false` when the lease was lost */
export async function failSurely(
  services: EndingServices,
  { lease, tenant, signal, work }: WorkersEnd,
  error: TaskError,
): Promise<boolean> {
  const { tasks } = services.stores
  const ended = await untilAnswered(services, signal, () => tasks.fail(lease, error, work))
  if (ended.value || !ended.mayBeRepeated) return ended.value
  const { value: task } = await untilAnswered(services, signal, () => tasks.find(tenant, lease.taskId))
  return task?.status === 'FAILED' && JSON.stringify(task.error) === JSON.stringify(error)
}

/** Returns a task to the queue, through an outage of the database. */
export async function releaseSurely(
  services: EndingServices,
  { lease, signal }: Pick<WorkersEnd, 'lease' | 'signal'>,
  options: Parameters<TaskStore['release']>[1],
): Promise<void> {
  await untilAnswered(services, signal, () => services.stores.tasks.release(lease, options))
}
