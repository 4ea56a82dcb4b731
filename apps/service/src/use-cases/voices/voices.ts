import type { Voice, VoiceList } from '@svc-audio/core/interface'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import type { BaseVoice, EngineVoice, SpeechEngine } from '@svc-audio/engine-ports'
import type { ServedSpeech, ServedVoice } from '../../ports/engine-state.ts'
import type { StoredVoice, VoiceStatus, VoiceStore } from '../../ports/voice-store.ts'

/** The sources of voices. */
export interface VoiceSources {
  readonly speech: SpeechEngine
  readonly voices: VoiceStore
}

/**
 * Returns the voices available to a tenant: every built-in voice, and the requested voices of the tenant.
 * @param ids Values of `voice_id`. Absent and unknown ids and those of other tenants are ignored.
 */
export async function speakableVoices(
  { speech, voices }: VoiceSources,
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
  { speech, voices }: VoiceSources,
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
