import type { EngineVoice } from '@svc-audio/engine-ports'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type OfferedModel, DIARIZING_MODEL, OPENAI_DIARIZING_MODEL, OPENAI_MODELS } from '../../domain/models.ts'
import type { ServiceError } from '../../domain/service-error.ts'
import { sendError } from '../../http/errors.ts'

/** Returns our name of a model. A name that OpenAI does not have stays. */
export function modelOf(name: string): string {
  return OPENAI_MODELS.get(name) ?? name
}

/** Whether a call of this API takes the model: it speaks a text or transcribes. */
export function isServed({ kind }: OfferedModel): boolean {
  return kind === 'speech' || kind === 'transcription'
}

/** Whether the subtitles of a model name the speakers. */
export function namesSpeakers(model: string): boolean {
  return model === OPENAI_DIARIZING_MODEL || model === DIARIZING_MODEL
}

/** A voice of OpenAI. */
interface OpenaiVoice {
  readonly gender: 'female' | 'male'
  /** The voice of the bundled engines that stands for it. */
  readonly bundled: string
}

/** OpenAI's voices by name. */
export const VOICES: ReadonlyMap<string, OpenaiVoice> = new Map([
  ['alloy', { gender: 'female', bundled: 'slt' }],
  ['ash', { gender: 'male', bundled: 'joe' }],
  ['ballad', { gender: 'male', bundled: 'awb' }],
  ['cedar', { gender: 'male', bundled: 'joe' }],
  ['coral', { gender: 'female', bundled: 'slt' }],
  ['echo', { gender: 'male', bundled: 'joe' }],
  ['fable', { gender: 'male', bundled: 'awb' }],
  ['marin', { gender: 'female', bundled: 'slt' }],
  ['nova', { gender: 'female', bundled: 'slt' }],
  ['onyx', { gender: 'male', bundled: 'awb' }],
  ['sage', { gender: 'female', bundled: 'slt' }],
  ['shimmer', { gender: 'female', bundled: 'slt' }],
  ['verse', { gender: 'male', bundled: 'joe' }],
])

/** Speaks for `joe` where that voice is not installed. */
const WITHOUT_JOE = 'rms'

/**
 * Returns our id of a voice: the alias of the operator, else the voice of that id, else for one of OpenAI's names a voice
 * that has the name too (`am_echo`), the voice of the bundled engines that stands for it, or a voice of its gender. The
 * same name always gives the same voice. Another name stays.
 * @param voices The voices of the engines.
 * @param aliases Ids of voices by further names. @default none
 */
export function voiceOf(
  name: string,
  voices: readonly EngineVoice[],
  aliases: ReadonlyMap<string, string> = new Map(),
): string {
  const alias = aliases.get(name)
  if (alias !== undefined) return alias
  const has = (id: string): boolean => voices.some((voice) => voice.id === id)
  const known = VOICES.get(name)
  if (known === undefined || has(name)) return name
  const { gender, bundled } = known
  const own = voices.filter((voice) => genderOf(voice) === gender)
  const called = [...own, ...voices].find(
    ({ id }) =>
      id
        .toLowerCase()
        .split(/[^a-z\d]+/)
        .at(-1) === name,
  )
  if (called !== undefined) return called.id
  if (has(bundled)) return bundled
  if (bundled === 'joe' && has(WITHOUT_JOE)) return WITHOUT_JOE
  const names = [...VOICES].filter(([, one]) => one.gender === gender).map(([one]) => one)
  const choice = own.length > 0 ? inLanguageOfFirst(own) : voices
  const place = (own.length > 0 ? names : [...VOICES.keys()]).indexOf(name)
  return choice[place % Math.max(choice.length, 1)]?.id ?? name
}

/** The gender of a voice, as far as it is known. The ids of Kokoro's voices tell it: `af_sky`, `bm_fable`. */
function genderOf({ id, gender, traits }: EngineVoice): string | undefined {
  if (gender !== undefined) return gender
  if (traits !== undefined && traits.timbre !== 'robotic') return traits.timbre
  const letter = /^[a-z](?<letter>[fm])_/.exec(id)?.groups?.['letter']
  return letter === undefined ? undefined : letter === 'f' ? 'female' : 'male'
}

function languageOf({ id, language }: EngineVoice): string {
  return `${language} ${/^[a-z](?=[fm]_)/.exec(id)?.[0] ?? ''}`
}

/** The voices with the language of the first one. In Kokoro's ids, the first letter is the language. */
function inLanguageOfFirst(voices: readonly EngineVoice[]): readonly EngineVoice[] {
  const [first] = voices
  return first === undefined ? voices : voices.filter((voice) => languageOf(voice) === languageOf(first))
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
  temperature: 'mapped',
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
export function openaiErrorBody({ status, code, message, param }: ServiceError): { readonly error: object } {
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
