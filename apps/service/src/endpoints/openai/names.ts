import type { EngineVoice } from '@svc-audio/engine-ports'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DIARIZING_MODEL } from '../../domain/models.ts'
import type { ServiceError } from '../../domain/service-error.ts'
import { sendError } from '../../http/errors.ts'

/** The transcription model of OpenAI with speakers. */
const DIARIZING = 'gpt-4o-transcribe-diarize'

/**
 * Our models by OpenAI's names. Every transcription model of OpenAI accepts a prompt or a stream, so all of them are
 * the model that does.
 */
export const MODELS: ReadonlyMap<string, string> = new Map([
  ['tts-1', 'svc-tts-1.5-flash'],
  ['tts-1-1106', 'svc-tts-1.5-flash'],
  ['tts-1-hd', 'svc-tts-1.0-pro'],
  ['tts-1-hd-1106', 'svc-tts-1.0-pro'],
  ['gpt-4o-mini-tts', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-03-20', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-12-15', 'svc-tts-1.5-flash'],
  ['whisper-1', DIARIZING_MODEL],
  ['gpt-transcribe', DIARIZING_MODEL],
  ['gpt-4o-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-03-20', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-12-15', DIARIZING_MODEL],
  [DIARIZING, DIARIZING_MODEL],
])

/** Returns our name of a model. A name that OpenAI does not have stays. */
export function modelOf(name: string): string {
  return MODELS.get(name) ?? name
}

/** Whether the subtitles of a model name the speakers. */
export function namesSpeakers(model: string): boolean {
  return model === DIARIZING || model === DIARIZING_MODEL
}

/** Speaks for `joe` where that voice is not installed. */
const WITHOUT_JOE = 'rms'

/** The bundled engine's voices by OpenAI's names. */
export const VOICES: ReadonlyMap<string, string> = new Map([
  ['alloy', 'slt'],
  ['ash', 'joe'],
  ['ballad', 'awb'],
  ['cedar', 'joe'],
  ['coral', 'slt'],
  ['echo', 'joe'],
  ['fable', 'awb'],
  ['marin', 'slt'],
  ['nova', 'slt'],
  ['onyx', 'awb'],
  ['sage', 'slt'],
  ['shimmer', 'slt'],
  ['verse', 'joe'],
])

/**
 * Returns our id of a voice. A name that OpenAI does not have stays. Another engine has other voices: OpenAI's names
 * are then spread over all of them.
 * @param voices The voices of the engine.
 */
export function voiceOf(name: string, voices: readonly EngineVoice[]): string {
  const has = (id: string): boolean => voices.some((voice) => voice.id === id)
  const bundled = VOICES.get(name)
  if (bundled === undefined || has(name)) return name
  if (has(bundled)) return bundled
  if (bundled === 'joe' && has(WITHOUT_JOE)) return WITHOUT_JOE
  const place = [...VOICES.keys()].indexOf(name)
  return voices[place % Math.max(voices.length, 1)]?.id ?? name
}

/** What happens to a parameter of OpenAI's calls: `ignored` ones are named in {@link IGNORED_HEADER}. */
type Fate = 'mapped' | 'ignored' | 'refused'

/** A parameter by its name, without brackets. docs/openai-api.md has the same table. */
type Parameters = Readonly<Record<string, Fate>>

/** The parameters of OpenAI's speech. */
export const SPEECH_PARAMETERS: Parameters = {
  model: 'mapped',
  input: 'mapped',
  voice: 'mapped',
  instructions: 'mapped',
  response_format: 'mapped',
  speed: 'mapped',
  stream_format: 'mapped',
}

/** The parameters of OpenAI's transcriptions. */
export const TRANSCRIPTION_PARAMETERS: Parameters = {
  file: 'mapped',
  model: 'mapped',
  language: 'mapped',
  languages: 'mapped',
  prompt: 'mapped',
  keywords: 'mapped',
  response_format: 'mapped',
  timestamp_granularities: 'mapped',
  stream: 'mapped',
  temperature: 'ignored',
  chunking_strategy: 'ignored',
  include: 'ignored',
  known_speaker_names: 'refused',
  known_speaker_references: 'refused',
}

/** The response header with the names of ignored parameters. */
const IGNORED_HEADER = 'x-ignored-parameters'

/** Maximum names in the header. */
const MAX_NAMES = 20

/** Names that a header can have. */
const NAME = /^[\w.-]{1,64}$/

/** Returns the given parameters that have no effect: ignored and unknown ones. */
export function ignoredOf(given: readonly string[], parameters: Parameters): string[] {
  return given.filter((name) => !Object.hasOwn(parameters, name) || parameters[name] === 'ignored')
}

/** Names ignored parameters in the response. */
export function noteIgnored(reply: FastifyReply, names: readonly string[]): void {
  const told = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, MAX_NAMES)
  if (told.length > 0) reply.header(IGNORED_HEADER, told.join(', '))
}

/** The names of fields and paths in OpenAI's calls, by our names. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['voice_id', 'voice'],
  ['keyterms', 'keywords'],
  ['keyterm', 'keyword'],
  ['diarize', 'response_format'],
  ['/v1/audio/voices', '/openai/v1/audio/voices'],
])

const NAMED = new RegExp(`(?<![\\w/-])(?:${[...NAMES.keys()].join('|')})(?![\\w-])`, 'gi')

/** Answers a failed request of the OpenAI API with its error body: `{ "error": { message, type, param, code } }`. */
export async function handleOpenaiError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await sendError(error, request, reply, (failure) => {
    // OpenAI's clients send a request again after 408, 409, 429 and 5xx, unless this header forbids it.
    reply.header('x-should-retry', String(mayRepeat(failure)))
    return openaiErrorBody(failure)
  })
}

/** Makes the error body of the OpenAI API, with its names of fields. */
export function openaiErrorBody({ status, code, message, param }: ServiceError): object {
  const named = message.replaceAll(NAMED, (name) => NAMES.get(name.toLowerCase()) ?? name)
  return {
    error: {
      message: named,
      type: typeOf(status),
      param: param === undefined ? null : (NAMES.get(param) ?? param),
      code,
    },
  }
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'rate_limit_error'
  return status === 401 ? 'authentication_error' : 'invalid_request_error'
}

/** Whether the work cannot have started, so that a repeated request is not counted twice. */
function mayRepeat({ status, code }: ServiceError): boolean {
  return status === 429 || status === 503 || code === 'idempotency_in_progress'
}
