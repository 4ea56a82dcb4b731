import type { AigcMarking } from '@svc-audio/core/adapter'
import { type SpeechModel, SPEED_MAX, SPEED_MIN, type StreamingSpeechModel } from '@svc-audio/core/interface'
import { hasPauses, pauseOutOfRange, splitPauses } from '@svc-audio/core/text'
import type { AudioFormat, EngineVoice } from '@svc-audio/engine-ports'
import { z } from 'zod'
import { requireFormat } from '../../domain/formats.ts'
import { findModel, type OfferedModel, requireModel } from '../../domain/models.ts'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import type { ServedVoice } from '../../ports/engines.ts'
import type { WebhookPolicy } from '../../domain/url-policies.ts'
import { checkTask, type TaskWish } from '../tasks/accept.ts'
import { noVoice } from '../voices.ts'

/** The exact id of the streaming model. */
const STREAMING_MODEL: StreamingSpeechModel = 'svc-tts-1.5-flash'

/** The model with pause markers. Its snapshots have them too. */
const PAUSE_MARKER_MODEL: SpeechModel = 'svc-tts-1.5-flash'

/** Longest `expected_duration_sec`. Time beyond the words is stored silence. */
const MAX_DURATION_SECONDS = 4 * 3600

/** Limits and voices of this service. */
export interface SpeechLimits {
  readonly voices: readonly ServedVoice[]
  readonly maxInputCharacters: number
  /** Longest speech, in seconds. */
  readonly maxOutputSeconds: number
  readonly webhooks: WebhookPolicy
}

/** A checked request for speech without streaming. */
export interface SpeechOrder {
  readonly model: string
  readonly text: string
  readonly pauses: boolean
  readonly voiceId: string
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  readonly aigc: AigcMarking | undefined
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** A checked request for streaming speech. */
export interface StreamOrder {
  readonly model: string
  readonly text: string
  readonly pauses: true
  readonly voiceId: string
  readonly events: boolean
  /** Language of the text, a BCP 47 tag. */
  readonly language?: string
  readonly speed: number | undefined
  readonly expectedDurationSeconds: number | undefined
  readonly aigc: AigcMarking | undefined
}

/**
 * Checks the body of `POST /v1/audio/speech` without `stream`.
 * @throws ServiceError naming code and field
 */
export function checkSpeech(body: SpeechBody, limits: SpeechLimits): SpeechOrder {
  const model = requireModel(body.model, 'speech')
  refuseForeignVoices(body)
  for (const field of ['speed', 'language', 'expected_duration_sec', 'stream_format'] as const) {
    if (body[field] !== undefined) throw invalid('unsupported_without_stream', field, `${field} needs stream=true`)
  }
  const task = checkTask(body, limits.webhooks)
  const text = requireInput(body, model, limits)
  return {
    model: body.model,
    text,
    pauses: model.base === PAUSE_MARKER_MODEL,
    voiceId: requireVoice(body.voice_id, limits.voices),
    format: requireFormat(body.response_format),
    delivery: requireDelivery(body.delivery_method),
    aigc: body.aigc_metadata,
    task,
  }
}

/**
 * Checks the body of `POST /v1/audio/speech` with `stream=true` (interface: streaming speech, streaming speech
 * parameter errors). No work starts before all rules hold.
 * @throws ServiceError naming code and field
 */
export function checkStream(body: SpeechBody, limits: SpeechLimits): StreamOrder {
  refuseForeignVoices(body)
  if (body.async === true) {
    throw invalid('unsupported_with_async', 'stream', 'stream=true cannot be combined with async=true')
  }
  if ((body.webhook_url ?? '') !== '') {
    throw invalid('unsupported_with_webhook', 'stream', 'stream=true cannot be combined with webhook_url')
  }
  if (body.delivery_method !== undefined) {
    throw invalid(
      'unsupported_with_stream',
      'delivery_method',
      'delivery_method cannot be combined with stream=true: leave it out',
    )
  }
  const model = findModel(body.model)
  if (model.id !== STREAMING_MODEL) {
    throw invalid('unsupported_stream', 'stream', `${model.id} does not stream: use ${STREAMING_MODEL}`)
  }
  const text = requireInput(body, model, limits)
  if (body.response_format !== 'pcm') {
    throw invalid('unsupported_response_format', 'response_format', 'response_format must be pcm with stream=true')
  }
  const streamFormat = body.stream_format ?? 'audio'
  if (streamFormat !== 'audio' && streamFormat !== 'sse') {
    throw invalid('unsupported_stream', 'stream', 'stream_format must be audio or sse')
  }
  if ((body.sample_rate ?? 0) !== 0) {
    throw invalid(
      'unsupported_for_stream',
      'sample_rate',
      'sample_rate is set by the service: read it from the response',
    )
  }
  checkTempo(body, limits)
  const language = checkLanguage(body.language, limits.voices)
  return {
    model: model.id,
    text,
    pauses: true,
    voiceId:
      body.voice_id === undefined ? defaultVoice(limits.voices, language) : requireVoice(body.voice_id, limits.voices),
    ...(language === undefined ? {} : { language }),
    events: streamFormat === 'sse',
    speed: body.speed,
    expectedDurationSeconds: body.expected_duration_sec,
    aigc: body.aigc_metadata,
  }
}

/** Refuses every voice field except `voice_id` (interface: `voice_id`; streaming speech, constraints). */
export function refuseForeignVoices(body: Readonly<Record<string, unknown>>): void {
  for (const field of ['voice_url', 'voice_data', 'voice_file', 'reference_audio', 'file_id']) {
    if (body[field] !== undefined) throw invalid('unsupported_field', field, `${field} is not accepted: use voice_id`)
  }
}

function requireInput(
  body: SpeechBody,
  model: OfferedModel,
  { maxInputCharacters, maxOutputSeconds }: SpeechLimits,
): string {
  const text = body.input ?? ''
  if (text.trim() === '') throw invalid('missing_required_field', 'input', 'input is required and must not be empty')
  if (text.length > maxInputCharacters) {
    throw invalid(
      'input_too_long',
      'input',
      `input must have at most ${maxInputCharacters} characters, got ${text.length}`,
    )
  }
  refuseSsml(text, 'input')
  if (!hasPauseMarkers(text)) return text
  if (model.base !== PAUSE_MARKER_MODEL)
    throw invalid(
      'unsupported_for_model',
      'input',
      `${model.id} does not support pause markers: use ${PAUSE_MARKER_MODEL}`,
    )
  const malformed = malformedPause(text)
  if (malformed !== undefined) {
    throw invalid(
      'invalid_range',
      'input',
      `${malformed} is not a pause: write seconds from 0.1 to 10.0, as [pause 1.5s]`,
    )
  }
  const marker = pauseOutOfRange(text)
  if (marker !== undefined) throw invalid('invalid_range', 'input', `${marker} must be from 0.1 to 10.0 seconds`)
  if (pauseSeconds(text) > maxOutputSeconds) throw outputTooLong(maxOutputSeconds)
  return text
}

/** Creates the error for speech over the limit. @param max The limit, in seconds. */
export function outputTooLong(max: number, param: string = 'input'): ServiceError {
  const message = `The speech must have at most ${max} seconds: send the text in parts`
  return new ServiceError(400, 'output_too_long', message, { param })
}

/** The length of all pauses. It is known before any work, unlike the length of the words. */
function pauseSeconds(text: string): number {
  return splitPauses(text).reduce((seconds, part) => (part.type === 'pause' ? seconds + part.seconds : seconds), 0)
}

/** Checks a speaking rate. @throws ServiceError 400 `invalid_range` */
export function checkSpeed(speed: number | undefined): void {
  if (speed !== undefined && !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    throw invalid('invalid_range', 'speed', `speed must be from ${SPEED_MIN} to ${SPEED_MAX}`)
  }
}

function checkTempo(body: SpeechBody, { maxOutputSeconds }: SpeechLimits): void {
  const { speed, expected_duration_sec: duration } = body
  checkSpeed(speed)
  const max = Math.min(MAX_DURATION_SECONDS, maxOutputSeconds)
  if (duration !== undefined && !(duration > 0 && duration <= max)) {
    const message = `expected_duration_sec must be greater than 0 and at most ${max}`
    throw invalid('invalid_range', 'expected_duration_sec', message)
  }
}

/** Trims and checks the language hint (interface: streaming speech). Region and script are ignored. */
function checkLanguage(language: string | undefined, voices: readonly EngineVoice[]): string | undefined {
  const hint = (language ?? '').trim().toLowerCase()
  if (hint === '') return undefined
  const languages = new Set(voices.flatMap((voice) => voice.languages ?? [voice.language]))
  if (!languages.has(hint.split(/[-_]/, 1).join(''))) {
    const known = [...languages].join(', ')
    throw invalid(
      'unsupported_language',
      'language',
      `language must be one of ${known}, got ${JSON.stringify(hint.slice(0, 40))}`,
    )
  }
  return hint
}

/**
 * Returns the voice of a request.
 * @param param The field of the voice, for errors.
 * @throws ServiceError 404 `voice_not_found`
 */
export function requireVoice(
  voiceId: string | undefined,
  voices: readonly EngineVoice[],
  param: string = 'voice_id',
): string {
  if (voiceId === undefined || voiceId === '') {
    throw invalid('missing_required_field', param, `${param} is required: see GET /v1/audio/voices`)
  }
  if (!voices.some((voice) => voice.id === voiceId)) {
    const message = `The voice ${JSON.stringify(voiceId.slice(0, 100))} is unknown: see GET /v1/audio/voices`
    throw new ServiceError(404, 'voice_not_found', message, { param })
  }
  return voiceId
}

/** The first voice that speaks the language and whose engine works; while none works, the first one. */
function defaultVoice(voices: readonly ServedVoice[], language: string | undefined): string {
  const primary = language?.split(/[-_]/, 1)[0]
  const able = voices.filter((voice) => primary === undefined || speaks(voice, primary))
  const first = able.find(({ isUp }) => isUp !== false) ?? able[0]
  if (first === undefined) throw noVoice('The speech engine has no voice')
  return first.id
}

function speaks({ language, languages = [language] }: EngineVoice, primary: string): boolean {
  return languages.includes(primary)
}

/** Returns the delivery method of a request. @default 'audio' */
export function requireDelivery(method: string | undefined): 'audio' | 'url' {
  if (method === undefined || method === 'audio' || method === 'url') return method ?? 'audio'
  throw invalid('invalid_value', 'delivery_method', 'delivery_method must be audio or url')
}

/** The marking fields of a request (interface: `aigc_metadata`). */
export const AigcMetadata = z
  .object({
    enabled: z.boolean().optional(),
    content_propagator: z.string().max(200).optional(),
    propagate_id: z.string().max(200).optional(),
  })
  .meta({ title: 'AigcMetadata' })

/**
 * Body of `POST /v1/audio/speech`, streaming or not: the types only. The permitted combinations of fields depend on
 * `stream`. The rules check them, with the errors that the interface names. Unknown fields are stored for the rules.
 */
export const SpeechBody = z.looseObject({
  model: z.string(),
  input: z.string().optional(),
  voice_id: z.string().optional(),
  response_format: z.string().optional(),
  delivery_method: z.string().optional(),
  async: z.boolean().optional(),
  webhook_url: z.string().optional(),
  aigc_metadata: AigcMetadata.optional(),
  language: z.string().optional(),
  speed: z.number().meta({ minimum: SPEED_MIN, maximum: SPEED_MAX }).optional(),
  expected_duration_sec: z.number().meta({ exclusiveMinimum: 0, maximum: MAX_DURATION_SECONDS }).optional(),
  stream: z.boolean().optional(),
  stream_format: z.string().optional(),
  sample_rate: z.number().optional(),
})

/** A parsed {@link SpeechBody}. */
export type SpeechBody = z.infer<typeof SpeechBody>

/** The common fields of requests for audio that can be tasks. */
export const TaskFields = SpeechBody.pick({
  model: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
})

/** Elements of SSML that no other text has. */
const SSML = /<\/?(?<name>speak|break|prosody|emphasis|say-as|phoneme|amazon:[\w-]+|mstts:[\w-]+)(?=[\s/>])[^<>]*>/i

/** One word in brackets behind `pause`, with a unit or without. */
const PAUSE_LIKE = /\[\s*pause[\s:=]+(?<length>[^\s\]]{1,40})(?:\s*(?:s|sec|seconds|ms))?\s*\]/gi
const PAUSE = /^\[pause \d+(?:\.\d+)?s\]$/
/** A number, or what a program writes in place of one. */
const NUMBER_LIKE = /\d|^[+-]?(?:nan|infinity|inf|undefined|null)s?$/i

/**
 * Refuses SSML: an engine would read its tags aloud.
 * @param param The field of the text, for errors.
 * @throws ServiceError 400 `unsupported_markup`
 */
export function refuseSsml(text: string, param: string): void {
  const { name } = SSML.exec(text)?.groups ?? {}
  if (name === undefined) return
  const message = `${param} contains the SSML tag <${name.slice(0, 40)}>, which is not supported: send plain text`
  throw invalid('unsupported_markup', param, message)
}

/** The first text in brackets that is meant as a pause marker and is none, as `[pause NaNs]` and `[pause 500ms]`. */
export function malformedPause(text: string): string | undefined {
  for (const { 0: marker, groups } of text.matchAll(PAUSE_LIKE)) {
    if (!PAUSE.test(marker) && NUMBER_LIKE.test(groups?.['length'] ?? '')) return marker
  }
  return undefined
}

/** Whether a text has pause markers, well-formed or not. */
export function hasPauseMarkers(text: string): boolean {
  return hasPauses(text) || malformedPause(text) !== undefined
}
