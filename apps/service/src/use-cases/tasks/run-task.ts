import { ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { OUTAGE_PAUSE_MS } from '../../domain/outage.ts'
import { isStorageFull } from '../../domain/storage-full.ts'
import { taskError, toServiceError } from '../to-service-error.ts'
import { EngineFailedError, EngineStuckError, EngineUnavailableError } from '../../ports/engine-state.ts'
import { UnsentLimitError } from '../../ports/codec.ts'
import { WorkMeter } from '../../domain/usage.ts'
import { traceFields } from '../../domain/task-trace.ts'
import { inSpan, type Span } from '../../ports/tracer.ts'
import type { Claim, TaskError } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { deleteUnused } from '../storage/delete-unused.ts'
import { deleteUsed } from '../files/files.ts'
import { holdLease } from './hold-lease.ts'
import { operationOf } from '../operations/registry.ts'
import type { TaskOutput } from '../operations/operation.ts'
import { Progress } from './progress.ts'
import { requireEngines } from './task-engines.ts'
import { watchedServices } from './watched-services.ts'
import { withinGrace } from './within-grace.ts'

/** Most attempts of a task that fails because of the service. */
export const MAX_ATTEMPTS = 3

/** Most starts of a task. A task that crashes the service or an engine must not do so for ever. */
export const MAX_STARTS = 6

/** Longest delay after an attempt, in milliseconds. */
const MAX_RETRY_DELAY_MS = 10_000

/** Delay of a task without room for its unsent audio, in milliseconds. */
const UNSENT_DELAY_MS = 10_000

/** The error of a task that was interrupted and cannot be resumed. */
const INTERRUPTED: TaskError = { code: 'interrupted', message: 'The service stopped while the task was running' }

/** Returns the delay after an attempt, in milliseconds: 1 s, 5 s, then 10 s. */
export function retryDelay(attempts: number): number {
  return Math.min(1000 * 5 ** (attempts - 1), MAX_RETRY_DELAY_MS)
}

/**
 * Runs a claimed task until it has ended or is back in the queue. An error of the request fails it at once. An error of
 * the service fails it at attempt {@link MAX_ATTEMPTS}, a crash of an engine at {@link MAX_STARTS}. A shutdown, an engine
 * that is down, a full disk and an outage of the object store return it to the queue without counting the attempt.
 */
export function runTask(services: Services, claim: Claim): Promise<void> {
  const { id, kind, tenant, trace } = claim.task
  const attributes = { 'svc_audio.task.id': id, 'svc_audio.task.attempt': claim.attempt, 'svc_audio.tenant': tenant }
  const options = { kind: 'consumer', parent: trace ?? {}, attributes } as const
  return inSpan(services.tracer, `task ${kind}`, options, (span) => run(services, claim, span))
}

async function run(services: Services, claim: Claim, span: Span): Promise<void> {
  const { taskId: task, attempt: number } = claim
  const { tenant, kind, trace } = claim.task
  const ended =
    claim.request === undefined || claim.attempt > MAX_STARTS
      ? await services.tasks.fail(claim, INTERRUPTED)
      : await attempt(services, claim)
  span.set('svc_audio.task.ended', String(ended))
  const message = ended ? 'a task has ended' : 'a task has not ended with this attempt'
  services.log.info({ task, kind, tenant, attempt: number, ...traceFields(trace) }, message)
  if (!ended) return
  // In a cluster an announcement is a transaction here, and a query of every process that it wakes.
  if (claim.task.webhookUrl !== undefined) services.dispatch.announce('webhook')
  if (claim.input !== undefined) await deleteUnused(services, services.inputs, claim.input)
}

/** @returns Whether the task has ended. */
async function attempt(services: Services, claim: Claim): Promise<boolean> {
  const { tasks, stopping } = services
  const lease = holdLease(services, claim)
  const progress = new Progress({
    clock: services.clock,
    patience: services.taskPatience,
    onStall: () => lease.abandon(new EngineStuckError('The task made no progress')),
  })
  try {
    requireEngines(claim.task.kind, claim.request ?? {}, services.engines)
    const meter = new WorkMeter(services.totals)
    const signal = AbortSignal.any([lease.lost, stopping])
    const watched = watchedServices(services, progress, lease.lost)
    const work = operationOf(claim).performTask(watched, claim, { signal, meter })
    const { result, file, source } = await endOf(work, { services, claim, lost: lease.lost })
    services.stalled.countSuccess(claim.task.kind)
    const ended = await tasks.succeed(claim, result, meter.work)
    if (!ended && file !== undefined) await services.results.delete(file)
    if (ended) await deleteUsed(services, claim.task.tenant, source)
    return ended
  } catch (error) {
    const reason: unknown = lease.lost.reason
    if (reason instanceof EngineStuckError) {
      services.stalled.countStall(claim.task.kind)
      return await settleFailure(services, claim, reason)
    }
    if (lease.lost.aborted) return false
    return await settleFailure(services, claim, error)
  } finally {
    progress.stop()
    lease.stop()
  }
}

/**
 * Waits for the end of work. Work that does not end after the loss of its lease is abandoned: the worker's place is free
 * again. A late result is removed.
 */
async function endOf(
  work: Promise<TaskOutput>,
  { services, claim, lost }: { readonly services: Services; readonly claim: Claim; readonly lost: AbortSignal },
): Promise<TaskOutput> {
  const { stalled, results, clock, log } = services
  let ended = false
  const noted = work.finally(() => {
    ended = true
  })
  try {
    return await withinGrace(noted, lost, clock)
  } catch (error) {
    if (ended) throw error
    const leave = stalled.abandon(claim.task.kind)
    log.error({ task: claim.taskId, kind: claim.task.kind }, 'the work on a lost task does not end')
    noted
      .then(async ({ file }) => file !== undefined && (await results.delete(file)))
      .catch((late: unknown) => log.warn({ err: late, task: claim.taskId }, 'abandoned work has ended late'))
      .finally(leave)
    throw error
  }
}

async function settleFailure(
  { tasks, outage, storageHealth, clock, stopping, log }: Services,
  claim: Claim,
  error: unknown,
): Promise<boolean> {
  const { status, cause } = toServiceError(error)
  if (error instanceof UnsentLimitError) {
    // Other requests of the tenant are the cause, not the task.
    await tasks.release(claim, { counts: false, delay: UNSENT_DELAY_MS })
    return false
  }
  // Without the check, a result larger than an empty disk would be made again for ever.
  const isFull = isStorageFull(error) && (await storageHealth.check()) === 'full'
  if (isFull || error instanceof ObjectStoreUnavailableError) {
    // The task waits until its input can be read and its result can be stored.
    outage.note(clock.now())
    await tasks.release(claim, { counts: false, delay: OUTAGE_PAUSE_MS })
    return false
  }
  if (status < 500) return tasks.fail(claim, taskError(error))
  if (stopping.aborted) {
    await tasks.release(claim, { counts: false })
    return false
  }
  if (error instanceof EngineUnavailableError) {
    // The engine's log line has reported it.
    await tasks.release(claim, { counts: false, delay: 1000 * error.retryAfterSeconds })
    return false
  }
  const fields = { task: claim.taskId, attempt: claim.attempt, ...traceFields(claim.task.trace) }
  log.error({ err: cause ?? error, ...fields }, 'an attempt at a task failed')
  // Another task may have crashed the engine, or the machine may lack memory for a while.
  const most = isCrash(error) ? MAX_STARTS : MAX_ATTEMPTS
  if (claim.attempt >= most) return tasks.fail(claim, taskError(error))
  await tasks.release(claim, { delay: retryDelay(claim.attempt) })
  return false
}

function isCrash(error: unknown): boolean {
  return error instanceof EngineFailedError && !(error instanceof EngineStuckError)
}
