import { z } from 'zod'
import { OPENAI_MODELS, requireModel } from '../../../domain/models.ts'
import { invalid, ServiceError } from '../../../domain/service-error.ts'
import { modelOf } from '../names.ts'
import type { InputFormat } from './input-audio.ts'
import type { TurnOptions } from './turns.ts'

/** What a session transcribes, and how. */
export interface SessionOptions {
  readonly format: InputFormat
  /** Name of the model, as the client wrote it. */
  readonly model: string
  /** As the client wrote it. The recognizer has it. */
  readonly language: string | undefined
  readonly prompt: string | undefined
  /** Words and phrases to listen for. */
  readonly keywords: readonly string[]
  /** `undefined`: the client ends each turn itself, with `input_audio_buffer.commit`. */
  readonly turns: TurnOptions | undefined
}

/** Which events a client expects: those of the interface since August 2025, or those before it. */
export type Dialect = 'ga' | 'beta'

const TranscriptionFields = z.looseObject({
  model: z.string().nullish(),
  language: z.string().nullish(),
  prompt: z.string().nullish(),
  languages: z.array(z.string()).nullish(),
  keywords: z.array(z.string()).nullish(),
})

const EAGERNESSES = ['low', 'medium', 'high', 'auto'] as const

const TurnFields = z.looseObject({
  type: z.string(),
  threshold: z.number().min(0).max(1).nullish(),
  prefix_padding_ms: z.number().min(0).max(5000).nullish(),
  silence_duration_ms: z.number().min(50).max(10_000).nullish(),
  eagerness: z.enum(EAGERNESSES).nullish(),
})

const InputFields = z.looseObject({
  format: z.looseObject({ type: z.string(), rate: z.number().nullish() }).nullish(),
  transcription: TranscriptionFields.nullish(),
  turn_detection: TurnFields.nullish(),
})

/** The session of an update, in both dialects. */
export const SessionFields = z.looseObject({
  type: z.string().optional(),
  audio: z.looseObject({ input: InputFields.optional() }).optional(),
  input_audio_format: z.string().optional(),
  input_audio_transcription: TranscriptionFields.nullish(),
  turn_detection: TurnFields.nullish(),
})

/** A parsed {@link SessionFields}. */
export type SessionFields = z.infer<typeof SessionFields>

const DEFAULT_TURNS: TurnOptions = { threshold: 0.5, prefixPaddingMs: 300, silenceDurationMs: 500 }

/** Models whose clients end each turn themselves, unless they ask for turn detection. */
const WITHOUT_TURNS = /^gpt-(?:realtime-whisper|live-transcribe)/

function turnsByDefault(model: string): TurnOptions | undefined {
  return WITHOUT_TURNS.test(model) ? undefined : DEFAULT_TURNS
}

/** The options of a new session. @param model Of the address, if it has one */
export function defaultOptions(model: string = 'gpt-4o-transcribe'): SessionOptions {
  return {
    format: { type: 'audio/pcm', rate: 24_000 },
    model,
    language: undefined,
    prompt: undefined,
    keywords: [],
    turns: turnsByDefault(model),
  }
}

/**
 * Chooses the language of a session, as {@link requireLanguage} does.
 * @param param Name of the field.
 */
export type ChooseLanguage = (given: readonly string[], param: string) => string | undefined

/**
 * Applies an update. Fields that it leaves out keep their values.
 * @throws ServiceError naming code and field
 */
export function updatedOptions(
  options: SessionOptions,
  session: SessionFields,
  chooseLanguage: ChooseLanguage,
): SessionOptions {
  if (session.type !== undefined && session.type !== 'transcription') throw conversation('session.type')
  const input: z.infer<typeof InputFields> = session.audio?.input ?? {}
  const transcription = input.transcription ?? session.input_audio_transcription ?? {}
  const turns = 'turn_detection' in input ? input.turn_detection : session.turn_detection
  const format = input.format ?? formatNamed(session.input_audio_format)
  const model = transcription.model ?? options.model
  requireTranscription(model)
  return {
    format: format === undefined ? options.format : checkFormat(format),
    model,
    language: languageOf(transcription, options, chooseLanguage),
    prompt: 'prompt' in transcription ? (transcription.prompt ?? undefined) : options.prompt,
    keywords: transcription.keywords ?? options.keywords,
    turns: turns === undefined ? turnsKept(options, model) : turns === null ? undefined : turnsOf(turns),
  }
}

function languageOf(
  given: z.infer<typeof TranscriptionFields>,
  options: Pick<SessionOptions, 'language'>,
  choose: ChooseLanguage,
): string | undefined {
  const { language, languages } = given
  if (!('language' in given) && languages == null) return options.language
  return language == null ? choose(languages ?? [], 'languages') : choose([language], 'language')
}

/** The turn detection of an update that does not name it: a change of the model changes the default. */
function turnsKept({ turns, model: before }: SessionOptions, model: string): TurnOptions | undefined {
  return turns === turnsByDefault(before) ? turnsByDefault(model) : turns
}

/** Checks the model of a session. @throws ServiceError in words for a model of conversations */
export function requireTranscription(model: string): string {
  if (isConversation(model)) throw conversation('model')
  return requireModel(modelOf(model), 'transcription').id
}

/** Whether a model is one of conversations, which this service does not have. */
export function isConversation(model: string): boolean {
  return /realtime|gpt-audio/i.test(model) && !OPENAI_MODELS.has(model)
}

/** Refuses a conversation. */
export function conversation(param: string): ServiceError {
  const message =
    'Conversations are not supported: this service transcribes. Connect with ?intent=transcription, and send session.update with the type transcription'
  return new ServiceError(400, 'unsupported_field', message, { param })
}

/** Silence that ends a turn of `semantic_vad`, by its eagerness. */
const EAGERNESS: Readonly<Record<(typeof EAGERNESSES)[number], number>> = {
  low: 1500,
  medium: 800,
  auto: 800,
  high: 500,
}

function turnsOf(given: z.infer<typeof TurnFields>): TurnOptions {
  if (given.type !== 'server_vad' && given.type !== 'semantic_vad') {
    throw invalid('invalid_value', 'turn_detection.type', 'turn_detection.type must be server_vad or semantic_vad')
  }
  const silence = given.type === 'server_vad' ? given.silence_duration_ms : EAGERNESS[given.eagerness ?? 'auto']
  return {
    threshold: given.threshold ?? DEFAULT_TURNS.threshold,
    prefixPaddingMs: given.prefix_padding_ms ?? DEFAULT_TURNS.prefixPaddingMs,
    silenceDurationMs: silence ?? DEFAULT_TURNS.silenceDurationMs,
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  pcm16: 'audio/pcm',
  g711_ulaw: 'audio/pcmu',
  g711_alaw: 'audio/pcma',
}

function formatNamed(name: string | undefined): { readonly type: string; readonly rate?: number } | undefined {
  return name === undefined ? undefined : { type: FORMATS[name] ?? name }
}

function checkFormat({
  type,
  rate,
}: {
  readonly type: string
  readonly rate?: number | null | undefined
}): InputFormat {
  if (type === 'audio/pcmu' || type === 'audio/pcma') return { type }
  if (type !== 'audio/pcm') {
    const message = 'The format must be audio/pcm, audio/pcmu or audio/pcma; in the beta pcm16, g711_ulaw or g711_alaw'
    throw invalid('invalid_value', 'format', message)
  }
  const hertz = rate ?? 24_000
  if (Number.isInteger(hertz) && hertz >= 8000 && hertz <= 48_000) return { type, rate: hertz }
  throw invalid('invalid_range', 'format.rate', 'format.rate must be an integer from 8000 to 48000')
}

const BETA_FORMATS: Readonly<Record<InputFormat['type'], string>> = {
  'audio/pcm': 'pcm16',
  'audio/pcmu': 'g711_ulaw',
  'audio/pcma': 'g711_alaw',
}

/** Shows the options as OpenAI does. */
export function viewSession(id: string, options: SessionOptions, dialect: Dialect): object {
  const { format, turns } = options
  const transcription = {
    model: options.model,
    ...(options.language === undefined ? {} : { language: options.language }),
    prompt: options.prompt ?? '',
    ...(options.keywords.length === 0 ? {} : { keywords: options.keywords }),
  }
  const turn_detection =
    turns === undefined
      ? null
      : {
          type: 'server_vad',
          threshold: turns.threshold,
          prefix_padding_ms: turns.prefixPaddingMs,
          silence_duration_ms: turns.silenceDurationMs,
        }
  if (dialect === 'ga') {
    const input = { format, transcription, noise_reduction: null, turn_detection }
    return { type: 'transcription', object: 'realtime.transcription_session', id, audio: { input }, include: null }
  }
  return {
    object: 'realtime.transcription_session',
    id,
    input_audio_format: BETA_FORMATS[format.type],
    input_audio_transcription: transcription,
    input_audio_noise_reduction: null,
    turn_detection,
    include: null,
  }
}
