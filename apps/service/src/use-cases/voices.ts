import type { Voice, VoiceList } from '@svc-audio/core/interface'
import {
  type BaseVoice,
  type EngineVoice,
  type SampleLimits,
  type SampleTraits,
  UndecodableAudioError,
  UnusableSampleError,
  type VoiceParameters,
} from '@svc-audio/engine-ports'
import { z } from 'zod'
import { newId } from '../domain/ids.ts'
import { invalid, ServiceError } from '../domain/service-error.ts'
import type { EngineHooks, ServedSpeech, ServedVoice } from '../ports/engines.ts'
import type { IdempotencyContext, JsonObject } from '../ports/response-store.ts'
import type { StoredVoice, VoiceStatus, VoiceStore } from '../ports/voice-store.ts'
import type { Using } from '../services.ts'
import { findStored, idempotencyConflict } from './idempotency.ts'
import type { WorkOptions } from './tasks/task.ts'

/** The sources of voices. */
export type VoiceSources = Using<'engines.speech' | 'stores.voices'>

/**
 * Returns the voices available to a tenant: every built-in voice, and the requested voices of the tenant.
 * @param ids Values of `voice_id`. Absent and unknown ids and those of other tenants are ignored.
 */
export async function speakableVoices(
  { engines: { speech }, stores: { voices } }: VoiceSources,
  tenant: string,
  ids: readonly (string | undefined)[],
): Promise<EngineVoice[]> {
  const builtIn = new Map(speech.voices.map((voice) => [voice.id, voice]))
  const others = new Set(ids.filter((id) => id !== undefined).filter((id) => !builtIn.has(id)))
  const own = others.size === 0 ? [] : await voices.find(tenant, [...others])
  return [
    ...speech.voices,
    ...own.flatMap(({ id, name, status, parameters }) => {
      const base = builtIn.get(parameters.base)
      return base === undefined || status !== 'active' ? [] : [{ id, name, language: base.language }]
    }),
  ]
}

/**
 * Checks that voices are still available to a tenant. For work that was accepted earlier.
 * @throws ServiceError 404 `voice_not_found`
 */
export async function requireVoices(sources: VoiceSources, tenant: string, ids: readonly string[]): Promise<void> {
  const there = new Set((await speakableVoices(sources, tenant, ids)).map(({ id }) => id))
  const gone = ids.find((id) => !there.has(id))
  if (gone !== undefined) throw voiceNotFound(gone)
}

/**
 * Maximum voices in the cache of parameters. A dialogue uses the same few voices repeatedly, and their parameters never
 * change.
 */
const REMEMBERED = 500

/**
 * Makes the hook of the engines that finds tenants' own voices. It accepts every existing id: the caller has checked that
 * the voice belongs to the tenant. A voice deleted in the meantime throws 404 `voice_not_found`, or is still used until
 * the work ends.
 */
export function findOwnVoices(voices: Pick<VoiceStore, 'parametersOf'>): Required<Pick<EngineHooks, 'ownVoice'>> {
  const remembered = new Map<string, VoiceParameters>()
  return {
    async ownVoice(id) {
      const parameters = remembered.get(id) ?? (await voices.parametersOf(id))
      if (parameters === undefined) throw voiceNotFound(id)
      if (remembered.size >= REMEMBERED && !remembered.has(id)) remembered.clear()
      remembered.set(id, parameters)
      return parameters
    },
  }
}

/** Creates the 404 for a voice deleted after its work was accepted. */
export function voiceNotFound(id: string): ServiceError {
  const message = `The voice ${JSON.stringify(id)} was deleted`
  return new ServiceError(404, 'voice_not_found', message, { param: 'voice_id' })
}

/** Seconds until a retry makes sense: the operator has to install voices. */
const NO_VOICE_RETRY_AFTER_SECONDS = 60

/** Creates the 503 `engine_unavailable` for an engine without a suitable voice. */
export function noVoice(message: string): ServiceError {
  return new ServiceError(503, 'engine_unavailable', message, { retryAfterSeconds: NO_VOICE_RETRY_AFTER_SECONDS })
}

/**
 * Returns the built-in voices that can be changed.
 * @param param The field that describes the new voice
 * @throws ServiceError 400 `unsupported_for_model` when no engine has such a voice; 503 `engine_unavailable` without any
 * voice
 */
export function baseVoices(speech: ServedSpeech, param: 'audio_sample' | 'instruction'): BaseVoice[] {
  const bases = (speech.bases ?? speech.voices).flatMap(({ id, traits }) =>
    traits === undefined ? [] : [{ id, traits }],
  )
  if (bases.length > 0) return bases
  if (speech.voices.length === 0) throw noVoice('The speech engine has no voice')
  const what = param === 'audio_sample' ? 'from a sample' : 'from a description'
  const message = `No speech engine of this service makes voices ${what}: use one of the voices of GET /v1/audio/voices`
  throw invalid('unsupported_for_model', param, message)
}

/** A checked request for a page of voices. */
export interface VoicePage {
  readonly limit: number
  readonly offset: number
  /** Cursor, instead of an offset. */
  readonly after: string | undefined
  readonly status: VoiceStatus | undefined
}

/**
 * Returns one page of voices: first the built-in ones, then the tenant's own in order of creation (interface: List
 * voices).
 * @throws ServiceError 400 `invalid_cursor`
 */
export async function listVoices(
  { engines: { speech }, stores: { voices } }: VoiceSources,
  tenant: string,
  { limit, offset, after, status }: VoicePage,
): Promise<VoiceList> {
  const builtIn = status === 'failed' ? [] : speech.voices
  const cursor = builtIn.findIndex(({ id }) => id === after)
  const ownCursor = after !== undefined && cursor === -1 ? after : undefined
  if (ownCursor !== undefined && (await voices.find(tenant, [ownCursor])).length === 0) {
    throw invalid('invalid_cursor', 'after', 'after is not a cursor of this list: use next_cursor')
  }
  const from = ownCursor === undefined ? (after === undefined ? offset : cursor + 1) : builtIn.length
  // One voice more than the limit shows whether a next page exists.
  const first = builtIn.slice(from, from + limit + 1)
  const own = await voices.list(tenant, {
    limit: limit + 1 - first.length,
    offset: Math.max(0, from - builtIn.length),
    ...(ownCursor === undefined ? {} : { after: ownCursor }),
    ...(status === undefined ? {} : { status }),
  })
  return toList([...first.map(viewBuiltIn), ...own.map(viewVoice)], limit)
}

function toList(found: readonly Voice[], limit: number): VoiceList {
  const data = found.slice(0, limit)
  const hasMore = found.length > limit
  const first = data.at(0)
  const last = data.at(-1)
  return {
    object: 'list',
    data,
    has_more: hasMore,
    ...(first === undefined || last === undefined ? {} : { first_id: first.id, last_id: last.id }),
    ...(hasMore && last !== undefined ? { next_cursor: last.id } : {}),
  }
}

/** Returns a tenant's voice as the interface shows it. */
export function viewVoice({ id, name, createdAt }: Pick<StoredVoice, 'id' | 'name' | 'createdAt'>): Voice {
  return { id, object: 'audio.voice', name, created_at: createdAt }
}

function viewBuiltIn(voice: ServedVoice): Voice {
  const { id, name, createdAt = 0, language, languages, gender, description, engine } = voice
  return {
    id,
    object: 'audio.voice',
    name,
    created_at: createdAt,
    language,
    ...(languages === undefined ? {} : { languages }),
    ...(gender === undefined ? {} : { gender }),
    ...(description === undefined ? {} : { description }),
    ...(engine === undefined ? {} : { engine }),
  }
}

/** Largest voice sample, in bytes: 20 MB, read as MiB. */
export const MAX_SAMPLE_BYTES = 20 * 1024 * 1024

/** Shortest and longest voice sample, in seconds. Encoders add padding: the limit is slightly above five minutes. */
export const SAMPLE_LIMITS: SampleLimits = { minSeconds: 1, maxSeconds: 300.2 }

/** A checked request for a voice. */
export interface VoiceOrder {
  /** The sample, a file on this machine. */
  readonly path: string
  readonly name: string
  readonly description: string
}

/**
 * Creates a voice from a sample: a built-in voice with the measured pitch, range and tempo. The sample itself is not
 * stored. A repeated request gets its earlier voice, even if the voice was deleted later.
 * @throws ServiceError 400 `invalid_audio_sample`; 409 `idempotency_conflict`
 */
export async function createVoice(
  services: MeasuringServices & Using<'engines.speech' | 'engines.designer' | 'stores.voices' | 'stores.responses'>,
  { path, name, description }: VoiceOrder,
  { tenant, idempotency, signal }: IdempotencyContext & { readonly signal: AbortSignal },
): Promise<Voice> {
  const { voices, responses } = services.stores
  const { speech, designer } = services.engines
  const before = await findStored(responses, { tenant, idempotency })
  const repeated = before && (await voiceOfResponse(voices, tenant, before))
  if (repeated !== undefined) return repeated
  const bases = baseVoices(speech, 'audio_sample')
  const parameters = designer.fromSample(await measure(services, path, { tenant, signal }), bases)
  const voice = { id: newId('voice'), tenant, name, description, status: 'active', parameters } as const
  const made = await voices.create(voice, idempotency)
  if (made.outcome === 'accepted') return viewVoice(made.voice)
  const earlier = made.outcome === 'repeated' ? await voiceOfResponse(voices, tenant, made.answer) : undefined
  if (earlier === undefined) throw idempotencyConflict()
  return earlier
}

type MeasuringServices = Using<'engines.codec' | 'engines.analyser' | 'engines.semaphores'>

async function measure(
  { engines: { codec, analyser, semaphores } }: MeasuringServices,
  path: string,
  { tenant, signal }: WorkOptions,
): Promise<SampleTraits> {
  try {
    return await semaphores.analysis.use(tenant, signal, () =>
      analyser.analyse(codec.decode(path, { signal }), { signal }),
    )
  } catch (error) {
    if (error instanceof UnusableSampleError || error instanceof UndecodableAudioError) {
      throw invalidSample(error.message)
    }
    throw error
  }
}

/** Creates the 400 for an unusable sample. */
export function invalidSample(message: string): ServiceError {
  return invalid('invalid_audio_sample', 'audio_sample', message)
}

const VoiceResponse = z.object({ voice: z.string() })
const DeletedVoice = VoiceResponse.extend({ name: z.string(), createdAt: z.number() })

/** Returns the voice of a stored response, even if the voice was deleted later. */
async function voiceOfResponse(voices: VoiceStore, tenant: string, response: JsonObject): Promise<Voice | undefined> {
  const deleted = DeletedVoice.safeParse(response).data
  if (deleted !== undefined) return viewVoice({ ...deleted, id: deleted.voice })
  const [voice] = await voices.find(tenant, [VoiceResponse.parse(response).voice])
  return voice && viewVoice(voice)
}
