import type { TaskCreation } from '@svc-audio/core/interface'
import { z } from 'zod'
import { type AudioFormat } from '@svc-audio/engine-ports'
import { contentTypeOf, FORMATS } from '../../domain/formats.ts'
import { newId, unixSeconds } from '../../domain/ids.ts'
import type { ResultLinks } from '../../domain/result-links.ts'
import type { AudioKind } from '../../domain/task-kinds.ts'
import type { Using } from '../../services.ts'
import type { IdempotencyContext } from '../../ports/response-store.ts'
import { findStored, replayEnded, type ReplayServices, storeResponse } from '../idempotency.ts'
import { replayTask } from '../tasks/accept.ts'

/** A finished audio file with its URL (interface: Speech result). */
export interface AudioResult<Kind extends AudioKind> {
  readonly id: string
  readonly object: Kind
  readonly status: 'SUCCESS'
  readonly url: string
  readonly response_format: AudioFormat
  readonly content_type: string
  readonly created_at: number
}

/** The audio to make. */
export interface AudioWork<Kind extends AudioKind> {
  readonly object: Kind
  readonly format: AudioFormat
  /** Prefix of its id. */
  readonly idPrefix: string
  /** Starts making the audio with this id. A repeated request counts no work. */
  readonly make: (id: string, isRepeated: boolean) => Promise<AsyncIterable<Uint8Array>>
}

/** A stored response. Its URL is created for each response. */
export const StoredAudio = z.object({
  id: z.string(),
  file: z.string(),
  format: z.enum(FORMATS),
  createdAt: z.number(),
})

/** A parsed {@link StoredAudio}. */
export type StoredAudio = z.infer<typeof StoredAudio>

/**
 * Stores audio during synthesis, and returns its URL once the file is complete. A repeated request gets the same file.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function storeAudio<Kind extends AudioKind>(
  services: Using<'stores.responses' | 'objects.links' | 'objects.results'>,
  work: AudioWork<Kind>,
  terms: IdempotencyContext,
): Promise<AudioResult<Kind>> {
  const { responses } = services.stores
  const { links } = services.objects
  const before = await findStored(responses, terms)
  const kept = before ?? (await storeResponse(responses, terms, await putAudio(services, work, terms)))
  return viewAudio(links, work.object, StoredAudio.parse(kept))
}

/** Returns a stored response with a new URL (interface: Speech result). */
export function viewAudio<Kind extends AudioKind>(
  links: ResultLinks,
  object: Kind,
  { id, file, format, createdAt }: StoredAudio,
): AudioResult<Kind> {
  return {
    id,
    object,
    status: 'SUCCESS',
    url: links.create(file),
    response_format: format,
    content_type: contentTypeOf(format),
    created_at: createdAt,
  }
}

async function putAudio(
  { objects: { results } }: Using<'objects.results'>,
  { idPrefix, format, make }: AudioWork<AudioKind>,
  { tenant }: IdempotencyContext,
): Promise<StoredAudio> {
  const own = results.of(tenant)
  await own.requireRoom()
  const id = newId(idPrefix)
  const file = `${id}.${format}`
  await own.put(file, await make(id, false))
  return { id, file, format, createdAt: unixSeconds() }
}

/**
 * Makes audio that is sent during synthesis and not stored. A repeated request makes the audio again with the same id,
 * and gets identical bytes.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function makeAudio(
  { stores: { responses } }: Using<'stores.responses'>,
  { idPrefix, make }: AudioWork<AudioKind>,
  terms: IdempotencyContext,
): Promise<AsyncIterable<Uint8Array>> {
  const before = z
    .object({ id: z.string() })
    .optional()
    .parse(await findStored(responses, terms))
  const id = before?.id ?? newId(idPrefix)
  const audio = await make(id, before !== undefined)
  // Only now: a refused request leaves its key free.
  if (before === undefined) await storeResponse(responses, terms, { id })
  return audio
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
  services: ReplayServices & Using<'stores.tasks' | 'objects.links'>,
  request: AudioRequest<Kind>,
  make: () => Promise<Answer>,
): Promise<TaskCreation | AudioResult<Kind> | Answer> {
  if (request.body.async !== true) return (await replayUrl(services, request)) ?? make()
  return services.stores.keysInFlight.inTurn(request, async () => (await replayTask(services, request)) ?? make())
}

async function replayUrl<Kind extends AudioKind>(
  services: ReplayServices & Using<'objects.links'>,
  { object, body, ...terms }: AudioRequest<Kind>,
): Promise<AudioResult<Kind> | undefined> {
  if (body.delivery_method !== 'url' || body.stream === true) return undefined
  const kept = await replayEnded(services, terms)
  return kept && viewAudio(services.objects.links, object, StoredAudio.parse(kept))
}
