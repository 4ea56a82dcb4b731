import { type PcmFormat, Resampler } from '@svc-audio/core/audio'
import { type AigcMarking, frameBytes } from '@svc-audio/core/adapter'
import {
  type AudioFormat,
  type EngineVoice,
  type Synthesis,
  type SynthesisOptions,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { z } from 'zod'
import { requireFormat } from '../domain/formats.ts'
import { requireModel } from '../domain/models.ts'
import { invalid } from '../domain/service-error.ts'
import type { WebhookPolicy } from '../domain/url-policies.ts'
import type { ForClient, ServedSpeech } from '../ports/engines.ts'
import type { Services } from '../services.ts'
import {
  hasPauseMarkers,
  refuseForeignVoices,
  refuseSsml,
  requireDelivery,
  requireVoice,
  SpeechBody,
  TaskFields,
} from './speech/rules.ts'
import { encodeSpeech, type FileOptions, speechOptions } from './speech/speak.ts'
import { checkTask, type TaskWish } from './tasks/accept.ts'

/**
 * Speaks a dialogue. Resolves once the engine has accepted every line. The bytes of the file follow during synthesis.
 * @throws ServiceError 400 `unspeakable_text` with the line as field
 */
export async function speakDialogue(
  services: Services,
  { lines, format, aigc }: Pick<DialogueOrder, 'lines' | 'format' | 'aigc'>,
  options: FileOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const accepted = await synthesizeDialogue(services.engines.speech, lines, speechOptions(services, options))
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0)
  return encodeSpeech(services, accepted, { format, characters, aigc, param: 'segments' }, options)
}

/** Signal and turns of a dialogue. */
type DialogueOptions = SynthesisOptions & ForClient & { readonly signal: AbortSignal }

/** Number of lines that are checked before other requests get a turn. */
const LINES_AT_ONCE = 100

/**
 * Synthesizes a dialogue as PCM, one line at a time with natural gaps. All lines are checked first: an unspeakable
 * line is refused before any audio is sent.
 * @throws ServiceError 400 `unspeakable_text` with the line as field
 */
export async function synthesizeDialogue(
  speech: ServedSpeech,
  lines: readonly DialogueLine[],
  options: DialogueOptions,
): Promise<Synthesis> {
  const { signal } = options
  let format: PcmFormat | undefined
  for (const [index, line] of lines.entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await new Promise<void>((resolve) => void setImmediate(resolve))
    signal.throwIfAborted()
    const { format: own } = await accept(speech, line, index, options)
    if (format === undefined || own.sampleRate > format.sampleRate) format = own
  }
  if (format === undefined) throw new RangeError('A dialogue must have at least one line')
  return { format, chunks: speakLines(speech, lines, format, options) }
}

/** Accepting a text is cheap: the engine starts its work at the first read. */
async function accept(
  speech: ServedSpeech,
  { text, voiceId }: DialogueLine,
  index: number,
  options: DialogueOptions,
): Promise<Synthesis> {
  try {
    return await speech.synthesize({ text, voiceId }, options)
  } catch (error) {
    if (!(error instanceof UnspeakableTextError)) throw error
    throw invalid('unspeakable_text', `segments[${index}].text`, error.message)
  }
}

async function* speakLines(
  speech: ServedSpeech,
  lines: readonly DialogueLine[],
  format: PcmFormat,
  options: DialogueOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [index, line] of lines.entries()) {
    yield* atRate(await accept(speech, line, index, options), format.sampleRate)
    const next = lines[index + 1]
    if (next !== undefined) yield silence(gapAfter(line, next), format)
  }
}

/** Brings speech to the sample rate of the dialogue: voices of several engines may differ. */
async function* atRate({ chunks, format }: Synthesis, rate: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (format.sampleRate === rate) {
    yield* chunks
    return
  }
  const resampler = new Resampler(format.sampleRate, rate)
  for await (const chunk of chunks) yield toBytes(resampler.push(toSamples(chunk)))
  yield toBytes(resampler.push(new Float32Array(RESAMPLER_TAIL)))
}

/** Samples that the filter of a {@link Resampler} holds back. */
const RESAMPLER_TAIL = 12

function toSamples(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  return Float32Array.from({ length: pcm.byteLength / 2 }, (_, index) => view.getInt16(2 * index, true))
}

function toBytes(samples: Float32Array): Uint8Array {
  const limited = Int16Array.from(samples, (sample) => Math.round(Math.max(-32_768, Math.min(32_767, sample))))
  return new Uint8Array(limited.buffer)
}

function silence(seconds: number, format: PcmFormat): Uint8Array {
  return new Uint8Array(Math.round(seconds * format.sampleRate) * frameBytes(format))
}

/** Maximum speakers of a dialogue. */
const MAX_SPEAKERS = 1000

/** One line of a dialogue. */
export interface DialogueLine {
  readonly speaker: string
  readonly voiceId: string
  readonly text: string
}

/** A checked request for a dialogue. */
interface DialogueOrder {
  readonly model: string
  /** At least one. */
  readonly lines: readonly DialogueLine[]
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  readonly aigc: AigcMarking | undefined
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** Limits and voices of this service. */
interface DialogueLimits {
  readonly voices: readonly EngineVoice[]
  /** Limit of all lines together. */
  readonly maxInputCharacters: number
  readonly webhooks: WebhookPolicy
}

/**
 * Checks the body of `POST /v1/audio/speech/speakers` (interface: multi-speaker).
 * @throws ServiceError with code and field, e.g. `segments[2].speaker`
 */
export function checkDialogue(body: DialogueBody, limits: DialogueLimits): DialogueOrder {
  requireModel(body.model, 'dialogue')
  refuseForeignVoices(body)
  const task = checkTask(body, limits.webhooks)
  const voiceIds = checkSpeakers(body, limits.voices)
  return {
    model: body.model,
    lines: checkSegments(body, voiceIds, limits.maxInputCharacters),
    format: requireFormat(body.response_format),
    delivery: requireDelivery(body.delivery_method),
    aigc: body.aigc_metadata,
    task,
  }
}

/** @returns Voice ids by speaker. */
function checkSpeakers({ speakers }: DialogueBody, voices: readonly EngineVoice[]): ReadonlyMap<string, string> {
  if (speakers.length === 0)
    throw invalid('missing_required_field', 'speakers', 'speakers must have at least one entry')
  if (speakers.length > MAX_SPEAKERS) {
    throw invalid('invalid_range', 'speakers', `speakers must have at most ${MAX_SPEAKERS} entries`)
  }
  const known = new Map(voices.map((voice) => [voice.id, voice]))
  const voiceIds = new Map<string, string>()
  for (const [index, speaker] of speakers.entries()) {
    refuseForeignVoices(speaker)
    const id = requireText(speaker.id, `speakers[${index}].id`)
    const voice = known.get(speaker.voice_id ?? '')
    const voiceId = requireVoice(speaker.voice_id, voice === undefined ? [] : [voice], `speakers[${index}].voice_id`)
    if (voiceIds.has(id)) throw invalid('duplicate_speaker', `speakers[${index}].id`, 'speakers[].id must be unique')
    voiceIds.set(id, voiceId)
  }
  return voiceIds
}

function checkSegments(
  { model, segments }: DialogueBody,
  voiceIds: ReadonlyMap<string, string>,
  maxCharacters: number,
): DialogueLine[] {
  if (segments.length === 0)
    throw invalid('missing_required_field', 'segments', 'segments must have at least one entry')
  let characters = 0
  return segments.map((segment, index) => {
    const text = requireText(segment.text, `segments[${index}].text`)
    const speaker = requireText(segment.speaker, `segments[${index}].speaker`)
    const voiceId = voiceIds.get(speaker)
    if (voiceId === undefined) {
      throw invalid('unknown_speaker', `segments[${index}].speaker`, 'segments[].speaker must be one of speakers[].id')
    }
    refuseSsml(text, `segments[${index}].text`)
    if (hasPauseMarkers(text)) {
      throw invalid('unsupported_for_model', `segments[${index}].text`, `${model} does not support pause markers`)
    }
    characters += text.length
    if (characters > maxCharacters) {
      throw invalid('input_too_long', 'segments', `All lines together must have at most ${maxCharacters} characters`)
    }
    return { speaker, voiceId, text }
  })
}

function requireText(value: string | undefined, param: string): string {
  if (value !== undefined && value.trim() !== '') return value
  throw invalid('missing_required_field', param, `${param} is required and must not be empty`)
}

/**
 * Body of `POST /v1/audio/speech/speakers`: the types only. The rules check required and related fields, and their
 * errors name the line. Unknown fields are stored for the rules.
 */
export const DialogueBody = SpeechBody.pick({
  model: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
  aigc_metadata: true,
}).extend({
  speakers: z.array(z.looseObject({ id: z.string().optional(), voice_id: z.string().optional() })),
  segments: z.array(z.looseObject({ speaker: z.string().optional(), text: z.string().optional() })),
})

/** A parsed {@link DialogueBody}. */
export type DialogueBody = z.infer<typeof DialogueBody>

/** The body in the OpenAPI document, with the required fields of the rules. */
export const DocumentedDialogueBody = TaskFields.extend({
  speakers: z
    .array(z.object({ id: z.string(), voice_id: z.string() }).meta({ title: 'DialogueSpeaker' }))
    .min(1)
    .max(MAX_SPEAKERS),
  segments: z.array(z.object({ speaker: z.string(), text: z.string() }).meta({ title: 'DialogueSegment' })).min(1),
  aigc_metadata: SpeechBody.shape.aigc_metadata,
})

/**
 * Silence between two lines, in seconds, by the end of the first line. People answer a question sooner than a
 * statement.
 */
export const GAP_SECONDS = {
  /** Broken off with a dash or a comma: the other speaker interrupts. */
  brokenOff: 0.25,
  question: 0.3,
  exclamation: 0.35,
  statement: 0.45,
  /** Trailing off with an ellipsis. */
  trailingOff: 0.6,
  /** The same speaker continues, after any end. */
  sameSpeaker: 0.3,
} as const

const ENDINGS: readonly (readonly [ending: RegExp, gap: keyof typeof GAP_SECONDS])[] = [
  [/(?:…|\.\.\.)$/u, 'trailingOff'],
  [/[-–—,]$/u, 'brokenOff'],
  [/[?？][!！]*$/u, 'question'],
  [/[!！]$/u, 'exclamation'],
]

/** Quotation marks, brackets and spaces after the punctuation at the end of a line. */
const CLOSING = new Set('"\'”’»)] \n\t')

/** Returns the natural gap after a line, in seconds. */
export function gapAfter(line: DialogueLine, next: DialogueLine): number {
  if (line.speaker === next.speaker) return GAP_SECONDS.sameSpeaker
  let end = line.text.length
  while (CLOSING.has(line.text.charAt(end - 1))) end -= 1
  const ending = line.text.slice(Math.max(0, end - 8), end)
  const [, gap] = ENDINGS.find(([sign]) => sign.test(ending)) ?? []
  return GAP_SECONDS[gap ?? 'statement']
}
