import type { TaskCreation } from '@svc-audio/core/interface'
import { z } from 'zod'
import { newId } from '../../domain/ids.ts'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { WebhookPolicy } from '../../domain/url-policies.ts'
import type { IdempotencyContext } from '../../ports/response-store.ts'
import type { TaskError, TaskOrder } from '../../ports/task-store.ts'
import type { Services, Using } from '../../services.ts'
import { idempotencyConflict, replayEnded, type ReplayServices } from '../idempotency.ts'
import { deleteUnused } from '../objects.ts'
import { viewCreation } from './task.ts'

/** The common parts of every request for a task. */
export interface TaskTerms extends IdempotencyContext {
  readonly webhookUrl: string | undefined
  readonly trace: TaskTrace
}

/** Open tasks end one by one, and soon. */
const FULL_RETRY_AFTER_SECONDS = 5

/** Accepts a task that makes an audio file, as {@link acceptTask}. Requires room for the file. */
export async function acceptAudio(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'cost'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  await services.objects.results.of(terms.tenant).requireRoom()
  return (await acceptTask(services, order, terms)).creation
}

/**
 * Accepts a task. The task is on disk when this resolves (interface: Asynchronous creation result). The caller has
 * already replayed a repeated request with `replayTask`. Of two simultaneous requests, the store accepts the first.
 * @throws ServiceError 409 `idempotency_conflict` when the key belongs to another request; 429 `too_many_tasks`
 * or `queue_too_long`; StorageFullError
 */
export async function acceptTask(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'input' | 'cost'>,
  { tenant, webhookUrl, idempotency, trace }: TaskTerms,
): Promise<{ readonly creation: TaskCreation; readonly isNew: boolean }> {
  const { backlog, tasks, dispatch } = services.stores
  const { reserve } = services.objects
  const { openTasksPerTenant: mostOpen } = services.settings
  await reserve.requireWhole()
  await backlog.requireShort(tenant, order.kind)
  const acceptance = await tasks.accept({
    ...order,
    id: newId('task'),
    tenant,
    trace,
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(mostOpen === Infinity ? {} : { mostOpen }),
  })
  if (acceptance.outcome === 'full') {
    const message = `This account has ${mostOpen} open tasks, its limit: retry when one has ended`
    throw new ServiceError(429, 'too_many_tasks', message, { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS })
  }
  if (acceptance.outcome === 'conflict') throw idempotencyConflict()
  const isNew = acceptance.outcome === 'accepted'
  if (isNew) dispatch.announce('task')
  const retryAfterSeconds = await backlog.pollSeconds(tenant, order.kind)
  return { creation: viewCreation(acceptance.task, retryAfterSeconds), isNew }
}

const TaskResponse = z.object({ task: z.string() })

/**
 * Returns the task of a repeated asynchronous request in its current state, while the task is stored.
 * @throws ServiceError as {@link replayEnded}
 */
export async function replayTask(
  services: ReplayServices & Using<'stores.tasks'>,
  terms: IdempotencyContext,
): Promise<TaskCreation | undefined> {
  const stored = await replayEnded(services, terms)
  const task = stored && (await services.stores.tasks.find(terms.tenant, TaskResponse.parse(stored).task))
  return task && viewCreation(task)
}

/** The error of a cancelled task. */
export const CANCELLED: TaskError = { code: 'task_cancelled', message: 'The task was cancelled' }

/**
 * Cancels a queued or running task: it fails with `task_cancelled`, and its webhook is called. Work on it stops
 * at once. An ended task stays as it is.
 * @returns `false` for an unknown id and for another tenant's
 */
export async function cancelTask(services: Services, tenant: string, id: string): Promise<boolean> {
  const { tasks, dispatch } = services.stores
  const { inputs, reserve } = services.objects
  const { running } = services.runtime
  // The response frees space, so it also works on a full disk.
  const cancellation = await reserve.use(() => tasks.cancel(tenant, id, CANCELLED))
  if (cancellation === undefined) return false
  running.stop(id)
  if (cancellation.cancelled) dispatch.announce('webhook')
  if (cancellation.input !== undefined) await deleteUnused(services, inputs, cancellation.input)
  return true
}

/** The task options of a request. */
export interface TaskWish {
  /** Address that is called when the task ends. */
  readonly webhookUrl: string | undefined
}

/**
 * Checks `async` and `webhook_url`. An empty `webhook_url` counts as absent.
 * @returns `undefined` for a synchronous request.
 * @throws ServiceError 400 `unsupported_without_async`; 400 `invalid_webhook_url`
 */
export function checkTask(
  { async, webhook_url: url = '' }: { readonly async?: boolean | undefined; readonly webhook_url?: string | undefined },
  webhooks: WebhookPolicy,
): TaskWish | undefined {
  if (async === true) return { webhookUrl: url === '' ? undefined : webhooks.check(url) }
  if (url === '') return undefined
  throw invalid('unsupported_without_async', 'webhook_url', 'webhook_url needs async=true')
}
