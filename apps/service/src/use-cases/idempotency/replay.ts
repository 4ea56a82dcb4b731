import type { TaskCreation, Voice } from '@svc-audio/core/interface'
import { z } from 'zod'
import type { AudioKind } from '../../domain/task-kinds.ts'
import type { UploadedFile } from '../../ports/file-store.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import type { VoiceStore } from '../../ports/voice-store.ts'
import type { Services } from '../../services.ts'
import { type AudioResult, StoredAudio, viewAudio } from '../speech/audio-result.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { findStored } from './store.ts'
import { viewCreation } from '../tasks/task-view.ts'
import { viewVoice } from '../voices/voices.ts'

type ReplayServices = Pick<Services, 'responses' | 'keysInFlight'>

/**
 * Returns the stored response of a repeated request, without checking quotas, limits, files or voices again.
 * @throws ServiceError 409 `idempotency_conflict`; 409 `idempotency_in_progress`
 */
async function replayEnded(
  { responses, keysInFlight }: ReplayServices,
  terms: IdempotencyContext,
): Promise<JsonObject | undefined> {
  if (terms.idempotency !== undefined) await keysInFlight.check(terms.tenant, terms.idempotency)
  return findStored(responses, terms)
}

const TaskAnswer = z.object({ task: z.string() })

/**
 * Returns the task of a repeated asynchronous request in its current state, while the task is stored.
 * @throws ServiceError as {@link replayEnded}
 */
export async function replayTask(
  services: ReplayServices & Pick<Services, 'tasks'>,
  terms: IdempotencyContext,
): Promise<TaskCreation | undefined> {
  const stored = await replayEnded(services, terms)
  const task = stored && (await services.tasks.find(terms.tenant, TaskAnswer.parse(stored).task))
  return task && viewCreation(task)
}

/** The parts of a request for audio that its replay needs. */
export interface AudioRequest<Kind extends AudioKind> extends IdempotencyContext {
  readonly object: Kind
  readonly body: { readonly async?: unknown; readonly stream?: unknown; readonly delivery_method?: unknown }
}

/**
 * Replays the response of a repeated request for a task or a URL. Makes the response of any other request. Requests for
 * a task with the same key run one after another: the second finds the task of the first, even if its voice or quota no
 * longer exists.
 * @throws ServiceError as {@link replayEnded}; what `make` throws
 */
export async function respondOnce<Kind extends AudioKind, Answer>(
  services: ReplayServices & Pick<Services, 'tasks' | 'links'>,
  request: AudioRequest<Kind>,
  make: () => Promise<Answer>,
): Promise<TaskCreation | AudioResult<Kind> | Answer> {
  if (request.body.async !== true) return (await replayUrl(services, request)) ?? make()
  return services.keysInFlight.inTurn(request, async () => (await replayTask(services, request)) ?? make())
}

async function replayUrl<Kind extends AudioKind>(
  services: ReplayServices & Pick<Services, 'links'>,
  { object, body, ...terms }: AudioRequest<Kind>,
): Promise<AudioResult<Kind> | undefined> {
  if (body.delivery_method !== 'url' || body.stream === true) return undefined
  const kept = await replayEnded(services, terms)
  return kept && viewAudio(services.links, object, StoredAudio.parse(kept))
}

const FileAnswer = z.object({ file: z.string() })
const DeletedFile = FileAnswer.extend({
  filename: z.string(),
  purpose: z.string(),
  bytes: z.number(),
  createdAt: z.number(),
})

/**
 * Returns the file of a repeated upload, even if the file was deleted later.
 * @throws ServiceError as {@link replayEnded}
 */
export async function replayFile(
  services: ReplayServices & Pick<Services, 'files'>,
  terms: IdempotencyContext,
): Promise<UploadedFile | undefined> {
  const kept = await replayEnded(services, terms)
  if (kept === undefined) return undefined
  const deleted = DeletedFile.safeParse(kept).data
  if (deleted === undefined) return services.files.find(terms.tenant, FileAnswer.parse(kept).file)
  const { file: id, ...rest } = deleted
  return { id, tenant: terms.tenant, ...rest }
}

const VoiceAnswer = z.object({ voice: z.string() })
const DeletedVoice = VoiceAnswer.extend({ name: z.string(), createdAt: z.number() })

/** Returns the voice of a stored response, even if the voice was deleted later. */
export async function voiceOf(voices: VoiceStore, tenant: string, response: JsonObject): Promise<Voice | undefined> {
  const deleted = DeletedVoice.safeParse(response).data
  if (deleted !== undefined) return viewVoice({ ...deleted, id: deleted.voice })
  const [voice] = await voices.find(tenant, [VoiceAnswer.parse(response).voice])
  return voice && viewVoice(voice)
}
