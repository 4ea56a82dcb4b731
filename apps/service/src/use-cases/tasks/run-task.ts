import { ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { OUTAGE_PAUSE_MS } from '../../domain/outage.ts'
import { taskError, toServiceError } from '../to-service-error.ts'
import { EngineUnavailableError } from '../../ports/engine-state.ts'
import { UnsentLimitError } from '../../ports/codec.ts'
import { WorkMeter } from '../../domain/usage.ts'
import { traceFields } from '../../domain/task-trace.ts'
import { inSpan, type Span } from '../../ports/tracer.ts'
import type { Claim, TaskError } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { deleteUsed } from '../files/files.ts'
import { holdLease } from './hold-lease.ts'
import { operationOf } from '../operations/registry.ts'
import { requireEngines } from './task-engines.ts'

/** Most attempts of a task that fails because of the service. */
export const MAX_ATTEMPTS = 3

/** Most starts of a task. A task that crashes the process must not do so for ever. */
export const MAX_STARTS = 6

/** Delay of a task without room for its unsent audio, in milliseconds. */
const UNSENT_DELAY_MS = 10_000

/** The error of a task that was interrupted and cannot be resumed. */
const INTERRUPTED: TaskError = { code: 'interrupted', message: 'The service stopped while the task was running' }

/** Returns the delay after an attempt, in milliseconds: 1 s, 5 s. */
export function retryDelay(attempts: number): number {
  return 1000 * 5 ** (attempts - 1)
}

/**
 * Runs a claimed task until it has ended or is back in the queue. An error of the request fails it at once. An error of
 * the service fails it at attempt {@link MAX_ATTEMPTS}. A shutdown, an engine that is down and an outage of the object
 * store return it to the queue without counting the attempt.
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
  services.dispatch.announce('webhook')
  if (claim.input !== undefined) await services.inputs.delete(claim.input)
}

/** @returns Whether the task has ended. */
async function attempt(services: Services, claim: Claim): Promise<boolean> {
  const { tasks, stopping } = services
  const lease = holdLease(services, claim)
  try {
    requireEngines(claim.task.kind, claim.request ?? {}, services.engines)
    const meter = new WorkMeter(services.totals)
    const signal = AbortSignal.any([lease.lost, stopping])
    const { result, file, source } = await operationOf(claim).performTask(services, claim, { signal, meter })
    const ended = await tasks.succeed(claim, result, meter.work)
    if (!ended && file !== undefined) await services.results.delete(file)
    if (ended) await deleteUsed(services, claim.task.tenant, source)
    return ended
  } catch (error) {
    if (lease.lost.aborted) return false
    return await settleFailure(services, claim, error)
  } finally {
    lease.stop()
  }
}

async function settleFailure(
  { tasks, outage, clock, stopping, log }: Services,
  claim: Claim,
  error: unknown,
): Promise<boolean> {
  const { status, cause } = toServiceError(error)
  if (error instanceof UnsentLimitError) {
    // Other requests of the tenant are the cause, not the task.
    await tasks.release(claim, { counts: false, delay: UNSENT_DELAY_MS })
    return false
  }
  if (error instanceof ObjectStoreUnavailableError) {
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
  if (claim.attempt >= MAX_ATTEMPTS) return tasks.fail(claim, taskError(error))
  await tasks.release(claim, { delay: retryDelay(claim.attempt) })
  return false
}
