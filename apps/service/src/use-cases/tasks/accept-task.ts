import type { TaskCreation } from '@svc-audio/core/interface'
import { newId } from '../../domain/ids.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { StoredTask, TaskOrder } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { requireFile } from '../files/files.ts'
import { idempotencyConflict } from '../idempotency/in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { viewCreation } from './task-view.ts'
import type { NamedSource, TranscriptionWork } from '../transcription/transcription-rules.ts'

/** What a request for a task comes with, whatever it is for. */
export interface TaskTerms extends IdempotencyContext {
  readonly webhookUrl: string | undefined
}

/** Tasks end one by one, and soon. */
const FULL_RETRY_AFTER_SECONDS = 5

/** Accepts work whose result is an audio file, for which there has to be room. */
export async function acceptAudio(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  await services.results.of(terms.tenant).requireRoom()
  const { task } = await accept(services, order, terms)
  return viewCreation(task)
}

/**
 * Accepts a file of this machine to be transcribed, and takes it over. The object is durable before the transaction, so
 * what has been accepted has its input.
 */
export async function acceptUpload(
  services: Services,
  { model, work, path }: { readonly model: string; readonly work: TranscriptionWork; readonly path: string },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const { inputs, tasks } = services
  const input = newId('input')
  await inputs.of(terms.tenant).putFile(input, path)
  let accepted = false
  try {
    const { task, isNew } = await accept(
      services,
      { kind: 'audio.transcription', model, request: { ...work }, input },
      terms,
    )
    accepted = isNew
    return viewCreation(task)
  } finally {
    // Refused, or the same request came before. A failure in between leaves it to the next start.
    if (!accepted && !(await tasks.inputsInUse([input])).has(input)) await inputs.delete(input)
  }
}

/**
 * Accepts audio to be transcribed that is fetched or lent when its turn comes.
 * @throws ServiceError 404 `file_not_found`
 */
export async function acceptNamedSource(
  services: Services,
  { model, work, source }: { readonly model: string; readonly work: TranscriptionWork; readonly source: NamedSource },
  terms: TaskTerms,
): Promise<TaskCreation> {
  if (source.kind === 'file') await requireFile(services, terms.tenant, source.id)
  const request = { ...work, source }
  const { task } = await accept(services, { kind: 'audio.transcription', model, request }, terms)
  return viewCreation(task)
}

/**
 * Accepts a task. It is on disk when this resolves (interface: Asynchronous creation result). Whether the request came
 * before has been asked by now, as `replayTask` does; of two at once the store takes the first.
 * @throws ServiceError 409 `idempotency_conflict` when the key came before with another request; 429 `too_many_tasks`;
 * StorageFullError
 */
async function accept(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'input'>,
  { tenant, webhookUrl, idempotency }: TaskTerms,
): Promise<{ readonly task: StoredTask; readonly isNew: boolean }> {
  const { tasks, dispatch, reserve, openTasksPerTenant: mostOpen } = services
  await reserve.requireWhole()
  const acceptance = await tasks.accept({
    ...order,
    id: newId('task'),
    tenant,
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(mostOpen === undefined ? {} : { mostOpen }),
  })
  if (acceptance.outcome === 'full') {
    const message = `This account has ${mostOpen} tasks that have not ended, as many as it may have`
    throw new ServiceError(429, 'too_many_tasks', message, { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS })
  }
  if (acceptance.outcome === 'conflict') throw idempotencyConflict()
  const isNew = acceptance.outcome === 'accepted'
  if (isNew) dispatch.announce('task')
  return { task: acceptance.task, isNew }
}
