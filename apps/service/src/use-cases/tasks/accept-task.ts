import type { TaskCreation } from '@svc-audio/core/interface'
import { newId } from '../../domain/ids.ts'
import { estimateTranscription } from '../../domain/task-kinds.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { StoredTask, TaskOrder } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { requireFile } from '../files/files.ts'
import { idempotencyConflict } from '../idempotency/in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { claimObject, isIn } from '../storage/claim-object.ts'
import { viewCreation } from './task-view.ts'
import type { NamedSource, TranscriptionWork } from '../transcription/transcription-rules.ts'

/** The common parts of every request for a task. */
export interface TaskTerms extends IdempotencyContext {
  readonly webhookUrl: string | undefined
  readonly trace: TaskTrace
}

/** Open tasks end one by one, and soon. */
const FULL_RETRY_AFTER_SECONDS = 5

/** Accepts a task that makes an audio file. Requires room for the file. */
export async function acceptAudio(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'cost'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  await services.results.of(terms.tenant).requireRoom()
  const { task } = await accept(services, order, terms)
  return viewCreation(task, await services.backlog.pollSeconds(terms.tenant, task.kind))
}

/**
 * Accepts the transcription of a file of this machine, and takes over the file. The object is durable before the
 * transaction: an accepted task always has its input.
 */
export async function acceptUpload(
  services: Services,
  { model, work, path }: { readonly model: string; readonly work: TranscriptionWork; readonly path: string },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const { inputs, tasks } = services
  const input = newId('input')
  const { bytes } = await inputs.of(terms.tenant).putFile(input, path)
  const order = {
    kind: 'audio.transcription',
    model,
    request: { ...work },
    input,
    cost: estimateTranscription(bytes, work.diarize),
  } as const
  const { task } = await claimObject(
    services,
    { objects: inputs, name: input, inUse: (name) => isIn(tasks.inputsInUse([name]), name) },
    async () => {
      const { task: accepted, isNew } = await accept(services, order, terms)
      return { task: accepted, isUsed: isNew }
    },
  )
  return viewCreation(task, await services.backlog.pollSeconds(terms.tenant, task.kind))
}

/**
 * Accepts the transcription of a named source. The task fetches or opens the source when it runs.
 * @throws ServiceError 404 `file_not_found`
 */
export async function acceptNamedSource(
  services: Services,
  { model, work, source }: { readonly model: string; readonly work: TranscriptionWork; readonly source: NamedSource },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const file = source.kind === 'file' ? await requireFile(services, terms.tenant, source.id) : undefined
  const request = { ...work, source }
  const cost = estimateTranscription(file?.bytes, work.diarize)
  const { task } = await accept(services, { kind: 'audio.transcription', model, request, cost }, terms)
  return viewCreation(task, await services.backlog.pollSeconds(terms.tenant, task.kind))
}

/**
 * Accepts a task. The task is on disk when this resolves (interface: Asynchronous creation result). The caller has
 * already replayed a repeated request with `replayTask`. Of two simultaneous requests, the store accepts the first.
 * @throws ServiceError 409 `idempotency_conflict` when the key belongs to another request; 429 `too_many_tasks`
 * or `queue_too_long`; StorageFullError
 */
async function accept(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'input' | 'cost'>,
  { tenant, webhookUrl, idempotency, trace }: TaskTerms,
): Promise<{ readonly task: StoredTask; readonly isNew: boolean }> {
  const { backlog, tasks, dispatch, reserve, openTasksPerTenant: mostOpen } = services
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
  return { task: acceptance.task, isNew }
}
