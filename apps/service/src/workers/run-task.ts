import { DamagedObjectError, isStoreError, MissingObjectError } from '../domain/errors.ts'
import { OUTAGE_PAUSE_MS } from '../domain/outage.ts'
import { isStorageFull } from '../domain/error-code.ts'
import { requireEngines } from '../use-cases/engines/pool.ts'
import { taskError, toServiceError } from '../use-cases/to-service-error.ts'
import { EngineRefusedError, EngineStuckError, UnsentLimitError } from '@svc-audio/engine-ports'
import { EngineUnavailableError, isEngineFailure } from '../ports/engines.ts'
import { WorkMeter } from '../domain/usage.ts'
import { traceFields } from '../domain/task-trace.ts'
import { inSpan, type Span } from '../ports/tracer.ts'
import type { Claim, ReleaseOptions, TaskError } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import { deleteUnused } from '../use-cases/objects.ts'
import { deleteUsed } from '../use-cases/files.ts'
import { renewLease } from '../use-cases/tasks/lease.ts'
import { engineOf, operationOf } from '../endpoints/index.ts'
import type { TaskOutput } from '../use-cases/tasks/task.ts'
import { Progress, watchedServices, withinGracePeriod } from './watched-services.ts'
import { failSurely, releaseSurely, succeedSurely } from '../use-cases/store-outages.ts'

/** Maximum attempts of a task that fails because of the service. */
export const MAX_ATTEMPTS = 3

/** Most starts of a task. A task that crashes the service or an engine must not do so for ever. */
export const MAX_STARTS = 6

/** Crashes of the process after which a task that ran alone each time has failed: it is their cause. */
export const MAX_INTERRUPTIONS = 3

/** Longest delay after an attempt, in milliseconds. */
const MAX_RETRY_DELAY_MS = 10_000

/** Delay of a task without room for its unsent audio, in milliseconds. */
const UNSENT_DELAY_MS = 10_000

/**
 * Delay of a task whose input cannot be read as it was stored, in milliseconds. The store may mend it; until then the
 * task must not occupy the workers.
 */
const DAMAGED_DELAY_MS = 60_000

/** Delay of a task whose input the store does not have although it has a row, in milliseconds. */
const MISSING_DELAY_MS = 5000

/** The error of a task that was interrupted and cannot be resumed. */
const INTERRUPTED: TaskError = {
  code: 'interrupted',
  message: 'The work on the task was interrupted: its process stopped, or lost the database',
}

/** The error of a task that ends the process. */
const CRASHES_SERVICE: TaskError = {
  code: 'interrupted',
  message: `The service crashed ${MAX_INTERRUPTIONS} times while it ran this task alone`,
}

/** Why a claimed task may not start, if so. */
function refusalOf({ request, interruptions, attempt: number }: Claim): TaskError | undefined {
  if (interruptions >= MAX_INTERRUPTIONS) return CRASHES_SERVICE
  return request === undefined || number > MAX_STARTS ? INTERRUPTED : undefined
}

/** Returns the delay after an attempt, in milliseconds: 1 s, 5 s, then 10 s. */
export function retryDelay(attempts: number): number {
  return Math.min(1000 * 5 ** (attempts - 1), MAX_RETRY_DELAY_MS)
}

/**
 * Runs a claimed task until it has ended or is back in the queue. An error of the request and the refusal of an engine
 * fail it at once. An error of the service fails it at attempt {@link MAX_ATTEMPTS}, a crash of an engine at
 * {@link MAX_STARTS}. A shutdown, an engine that is down, a full disk and an outage of a store return it to the queue
 * without counting the attempt.
 */
export function runTask(services: Services, claim: Claim): Promise<void> {
  const { id, kind, tenant, trace } = claim.task
  const attributes = { 'svc_audio.task.id': id, 'svc_audio.task.attempt': claim.attempt, 'svc_audio.tenant': tenant }
  const options = { kind: 'consumer', parent: trace ?? {}, attributes } as const
  return inSpan(services.runtime.tracer, `task ${kind}`, options, (span) => run(services, claim, span))
}

async function run(services: Services, claim: Claim, span: Span): Promise<void> {
  const { taskId: task, attempt: number } = claim
  const { tenant, kind, trace } = claim.task
  const refusal = refusalOf(claim)
  const ended =
    refusal === undefined
      ? await attempt(services, claim)
      : await failSurely(services, { lease: claim, tenant, signal: services.runtime.stopping }, refusal)
  span.set('svc_audio.task.ended', String(ended))
  const message = ended ? 'a task has ended' : 'a task has not ended with this attempt'
  services.runtime.log.info({ task, kind, tenant, attempt: number, ...traceFields(trace) }, message)
  if (!ended) return
  // In a cluster an announcement is a transaction here, and a query of every process that it wakes.
  if (claim.task.webhookUrl !== undefined) services.stores.dispatch.announce('webhook')
  // The input of a failed task stays with its stored request.
  if (claim.input === undefined || (await services.stores.tasks.inputsInUse([claim.input])).has(claim.input)) return
  await deleteUnused(services, services.objects.inputs, claim.input)
}

/** @returns Whether the task has ended. */
async function attempt(services: Services, claim: Claim): Promise<boolean> {
  const { stopping } = services.runtime
  const lease = renewLease(services, claim)
  const progress = new Progress({
    clock: services.runtime.clock,
    patience: services.settings.taskPatience,
    share: services.engines.measureShare(),
    onStall: () => lease.abandon(new EngineStuckError('The task made no progress')),
  })
  try {
    requireEngines(engineOf(claim.task.kind), claim.request ?? {}, services.engines.states)
    const meter = new WorkMeter(services.runtime.totals)
    const signal = AbortSignal.any([lease.lost, stopping])
    const watched = watchedServices(services, progress, lease.lost)
    const work = operationOf(claim).performTask(watched, claim, { signal, meter })
    const { result, file, usedFile } = await endOf(work, { services, claim, lost: lease.lost })
    services.runtime.stalled.countSuccess(claim.task.kind)
    progress.stop()
    const { tenant } = claim.task
    const end = { lease: claim, tenant, signal, work: meter.work }
    const ended = await succeedSurely(services, end, result)
    if (!ended && file !== undefined) await deleteUnused(services, services.objects.results, file)
    if (ended) await deleteUsed(services, claim.task.tenant, usedFile)
    return ended
  } catch (error) {
    const reason: unknown = lease.lost.reason
    if (reason instanceof EngineStuckError) {
      services.runtime.stalled.countStall(claim.task.kind)
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
  const { stalled, clock, log } = services.runtime
  const { results } = services.objects
  let ended = false
  const noted = work.finally(() => {
    ended = true
  })
  try {
    return await withinGracePeriod(noted, lost, clock)
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

async function settleFailure(services: Services, claim: Claim, error: unknown): Promise<boolean> {
  const { outage, clock, stopping, stalled, log } = services.runtime
  const { health: storageHealth } = services.objects
  const { status, cause } = toServiceError(error)
  const { tenant, kind } = claim.task
  const release = async (options: ReleaseOptions): Promise<false> => {
    await releaseSurely(services, { lease: claim, signal: stopping }, options)
    return false
  }
  const fail = (): Promise<boolean> =>
    failSurely(services, { lease: claim, tenant, signal: stopping }, taskError(error))
  // Other requests of the tenant are the cause, not the task.
  if (error instanceof UnsentLimitError) return release({ counts: false, delay: UNSENT_DELAY_MS })
  // Without the check, a result larger than an empty disk would be made again for ever.
  const isFull = isStorageFull(error) && (await storageHealth.check()) === 'full'
  if (isFull || isStoreError(error)) {
    // The task waits until its input can be read and its result can be stored.
    outage.note(clock.now())
    log.warn({ err: cause ?? error, task: claim.taskId }, 'a task waits for a store')
    return release({ counts: false, delay: OUTAGE_PAUSE_MS })
  }
  if (error instanceof MissingObjectError) {
    log.warn({ err: error, task: claim.taskId }, 'a task waits for an object')
    return release({ counts: false, delay: MISSING_DELAY_MS })
  }
  if (error instanceof DamagedObjectError) {
    log.error({ err: error, task: claim.taskId }, 'an object is damaged')
    return release({ counts: false, delay: DAMAGED_DELAY_MS })
  }
  if (status < 500) return fail()
  if (stopping.aborted) return release({ counts: false })
  // The engine's log line has reported it. Work that has begun counts: it may be what takes the engine down.
  if (error instanceof EngineUnavailableError && !error.hasBegun) {
    return release({ counts: false, delay: 1000 * error.retryAfterSeconds })
  }
  const fields = { task: claim.taskId, attempt: claim.attempt, ...traceFields(claim.task.trace) }
  log.error({ err: cause ?? error, ...fields }, 'an attempt at a task failed')
  if (!(error instanceof EngineStuckError)) stalled.countFailure(kind, claim.taskId)
  if (error instanceof EngineRefusedError) return fail()
  // Another task may have crashed the engine, or the machine may lack memory for a while.
  const max = isCrash(error) ? MAX_STARTS : MAX_ATTEMPTS
  return claim.attempt >= max ? fail() : release({ delay: retryDelay(claim.attempt) })
}

function isCrash(error: unknown): boolean {
  return isEngineFailure(error) && !(error instanceof EngineStuckError)
}
