import type { SpeechCreateBody, SpeechStreamBody, VoiceGenerationBody } from '@svc-audio/core'
import type { AigcMetadata } from '@svc-audio/core/interface'
import { fields, flag, object, optional, type OptionRule, positive } from '#options'
import { type AllProviderOptions, readProviderOptions } from '../request.ts'
import { unsupported, type Warning } from '../warnings.ts'

/** Settings of `generateSpeech` that may cause a warning. */
export type SpeechSetting = 'voice' | 'outputFormat' | 'instructions' | 'speed' | 'language' | 'providerOptions'

/** The settings of a call. */
export interface SpeechSettings {
  readonly text: string
  readonly voice?: string | undefined
  readonly outputFormat?: string | undefined
  readonly instructions?: string | undefined
  readonly speed?: number | undefined
  readonly language?: string | undefined
}

/** The request of the interface that serves a call, and the settings that it cannot take. */
export type SpeechPlan = { readonly warnings: Warning<SpeechSetting>[] } & (
  | { readonly kind: 'file'; readonly body: SpeechCreateBody }
  | { readonly kind: 'stream'; readonly body: SpeechStreamBody; readonly container: 'wav' | 'pcm' }
  | { readonly kind: 'design'; readonly body: VoiceGenerationBody }
)

/** Interface: the one model that streams, and so the only one with speed, language and length. */
const STREAMING_MODEL = 'svc-tts-1.5-flash'

const DESIGN_MODELS = 'svc-voice-generator-'

/**
 * Chooses the request. The interface takes `speed`, `language` and a length with streams only, and streams are PCM: a
 * call with one of these streams if its format is WAV, PCM or open. PCM always streams, because only a stream names its
 * sample rate.
 *
 * @param settings With the text as the service gets it.
 */
export function planSpeech(model: string, settings: SpeechSettings, options: SvcAudioSpeechOptions): SpeechPlan {
  if (model.startsWith(DESIGN_MODELS)) return planDesign(model, settings, options)
  const { text: input, voice, instructions } = settings
  const warnings: Warning<SpeechSetting>[] = []
  if (instructions !== undefined) {
    const remedy = "use the model 'svc-voice-generator-1.0', or choose a voice"
    warnings.push(unsupported('instructions', `${model} takes no instructions: ${remedy}.`))
  }
  const { aigc_metadata } = options
  const mark = aigc_metadata === undefined ? {} : { aigc_metadata }
  const format = settings.outputFormat?.toLowerCase()
  const hints = streamHints(settings, options)
  const container = format === 'pcm' ? 'pcm' : format === undefined || format === 'wav' ? 'wav' : undefined
  const needsStream = Object.keys(hints).length > 0 || container === 'pcm' || voice === undefined
  if (model === STREAMING_MODEL && container !== undefined && needsStream) {
    const named = voice === undefined ? {} : { voice_id: voice }
    return { kind: 'stream', container, warnings, body: { model, input, ...named, ...hints, ...mark } }
  }
  for (const hint of Object.keys(hints)) warnings.push(needsStreamWarning(hint))
  const response_format = format === undefined ? {} : { response_format: format }
  // Without a voice, the check of the client names the field.
  return { kind: 'file', warnings, body: { model, input, voice_id: voice ?? '', ...response_format, ...mark } }
}

type Hints = Pick<SpeechStreamBody, 'speed' | 'language' | 'expected_duration_sec'>

/** What the interface takes with streams only. */
export function streamHints({ speed, language }: SpeechSettings, options: SvcAudioSpeechOptions): Hints {
  const { expected_duration_sec } = options
  return {
    // the default of every request
    ...(speed === undefined || speed === 1 ? {} : { speed }),
    // 'auto' is the SDK's word for a call without a hint
    ...(language === undefined || language === 'auto' ? {} : { language }),
    ...(expected_duration_sec === undefined ? {} : { expected_duration_sec }),
  }
}

function needsStreamWarning(hint: string): Warning<SpeechSetting> {
  const setting = hint === 'speed' || hint === 'language' ? hint : 'providerOptions'
  return unsupported(setting, `${hint} needs the model ${STREAMING_MODEL} and the outputFormat wav or pcm.`)
}

function planDesign(model: string, settings: SpeechSettings, options: SvcAudioSpeechOptions): SpeechPlan {
  const { text: input, instructions = '', outputFormat } = settings
  const warnings: Warning<SpeechSetting>[] = []
  const given = { voice: settings.voice, ...streamHints(settings, options), aigc_metadata: options.aigc_metadata }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const setting = name === 'voice' || name === 'speed' || name === 'language' ? name : 'providerOptions'
    warnings.push(unsupported(setting, `${model} takes no ${name}: say it in the instructions.`))
  }
  const response_format = outputFormat === undefined ? {} : { response_format: outputFormat.toLowerCase() }
  return { kind: 'design', warnings, body: { model, input, instruction: instructions, ...response_format } }
}

/** Pauses that are inserted into the text. Each is 0.1 to 10 seconds, rounded to tenths. */
export type SvcAudioPauses = {
  /** Silence between two sentences of a paragraph, in seconds. @default as the voice speaks */
  sentenceSeconds?: number
  /** Silence between two paragraphs, in seconds. An empty line ends a paragraph. @default as the voice speaks */
  paragraphSeconds?: number
}

/**
 * `providerOptions.svcAudio` of `generateSpeech` and `experimental_streamSpeech`.
 *
 * @example
 * providerOptions: { svcAudio: { aigc_metadata: { enabled: true } } satisfies SvcAudioSpeechOptions }
 */
export type SvcAudioSpeechOptions = {
  /** An implicit AIGC marking in the metadata of the audio file. @default none */
  aigc_metadata?: Pick<AigcMetadata, keyof AigcMetadata>
  /**
   * Target length of the audio, in seconds. Like `speed`, it needs `svc-tts-1.5-flash` and the format wav or pcm. Not for
   * `experimental_streamSpeech`.
   */
  expected_duration_sec?: number
  /** Pauses between sentences and paragraphs. With `generateSpeech` they need `svc-tts-1.5-flash`. @default none */
  pauses?: SvcAudioPauses
  /**
   * Takes Markdown, code, emoji and addresses out of the text before it is spoken. `experimental_streamSpeech` then speaks
   * a paragraph when it is complete, else a sentence.
   * @default false
   */
  speakable?: boolean
}

const pauseSeconds: OptionRule = (value) =>
  typeof value === 'number' && value >= 0.1 && value <= 10 ? undefined : 'must be from 0.1 to 10 seconds'

/** @throws InvalidArgumentError naming the option */
export function speechOptions(all: AllProviderOptions): SvcAudioSpeechOptions {
  return readProviderOptions<SvcAudioSpeechOptions>(all, {
    aigc_metadata: optional(object),
    expected_duration_sec: optional(positive('seconds')),
    pauses: optional(fields({ sentenceSeconds: optional(pauseSeconds), paragraphSeconds: optional(pauseSeconds) })),
    speakable: optional(flag),
  })
}
