import type { TaskCreation } from '@svc-audio/core/interface'
import { newId } from '../domain/ids.ts'
import type { StoredTask, TaskOrder } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import type { DialogueOrder } from './dialogue-rules.ts'
import { idempotencyConflict } from './keys-under-way.ts'
import { type KeyTerms, recall } from './recall.ts'
import type { SpeechOrder } from './speech-rules.ts'
import { RETRY_AFTER_SECONDS } from './task-view.ts'
import type { VoiceGenerationOrder } from './voice-generation-rules.ts'

/** What a request for a task comes with, whatever it is for. */
export interface TaskTerms extends KeyTerms {
  readonly webhookUrl: string | undefined
}

/** Accepts a text to be spoken. */
export async function acceptSpeech(
  services: Services,
  { model, text, pauses, voiceId, format, aigc }: Omit<SpeechOrder, 'delivery' | 'task'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  const request = { text, pauses, voiceId, format, aigc }
  const { task } = await accept(services, { kind: 'audio.speech', model, request }, terms)
  return viewCreation(task)
}

/** Accepts a dialogue to be spoken. */
export async function acceptDialogue(
  services: Services,
  { model, lines, format, aigc }: Omit<DialogueOrder, 'delivery' | 'task'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  const request = { lines, format, aigc }
  const { task } = await accept(services, { kind: 'audio.speech', model, request }, terms)
  return viewCreation(task)
}

/** Accepts a text to be spoken in a voice that is described. */
export async function acceptVoiceGeneration(
  services: Services,
  { model, text, instruction, format }: Omit<VoiceGenerationOrder, 'delivery' | 'task'>,
  terms: TaskTerms,
): Promise<TaskCreation> {
  const request = { text, instruction, format }
  const { task } = await accept(services, { kind: 'audio.voice_generation', model, request }, terms)
  return { ...viewCreation(task), model_id: task.model }
}

/**
 * Accepts a file of this machine to be transcribed, and takes it over. The object is durable before the transaction, so
 * what has been accepted has its input.
 */
export async function acceptTranscription(
  services: Services,
  { model, path }: { readonly model: string; readonly path: string },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const { inputs, tasks } = services
  const input = newId('input')
  await inputs.putFile(input, path)
  let accepted = false
  try {
    const { task, isNew } = await accept(services, { kind: 'audio.transcription', model, request: {}, input }, terms)
    accepted = isNew
    return viewCreation(task)
  } finally {
    // Refused, or the same request came before. A failure in between leaves it to the next start.
    if (!accepted && !(await tasks.inputsInUse([input])).has(input)) await inputs.delete(input)
  }
}

/**
 * Accepts a task. It is on disk when this resolves (interface: Asynchronous creation result).
 * @throws ServiceError 409 `idempotency_conflict` when the key came before with another request
 */
async function accept(
  services: Services,
  order: Pick<TaskOrder, 'kind' | 'model' | 'request' | 'input'>,
  { tenant, webhookUrl, idempotency }: TaskTerms,
): Promise<{ readonly task: StoredTask; readonly isNew: boolean }> {
  const { tasks, dispatch } = services
  await refuseAnswered(services, { tenant, idempotency })
  const acceptance = await tasks.accept({
    ...order,
    id: newId('task'),
    tenant,
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(idempotency === undefined ? {} : { idempotency }),
  })
  if (acceptance.outcome === 'conflict') throw idempotencyConflict()
  const isNew = acceptance.outcome === 'accepted'
  if (isNew) dispatch.announce('task')
  return { task: acceptance.task, isNew }
}

/**
 * A key of a request that was or is being answered at once was another request's.
 * @throws ServiceError 409 `idempotency_conflict`
 */
async function refuseAnswered({ answers, keysUnderWay }: Services, terms: KeyTerms): Promise<void> {
  if (terms.idempotency === undefined) return
  keysUnderWay.check(terms.tenant, terms.idempotency)
  await recall(answers, terms)
}

function viewCreation({ id, kind, status, createdAt, updatedAt }: StoredTask): TaskCreation {
  const times = { created_at: createdAt, updated_at: updatedAt }
  return { id, task_id: id, object: kind, status, retry_after: RETRY_AFTER_SECONDS, ...times }
}
