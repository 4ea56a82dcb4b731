import type { AigcMetadata } from '@svc-audio/core/interface'
import { fields, flag, object, type OptionRule, optional, positive } from '@svc-audio/options'
import { type AllProviderOptions, readProviderOptions } from '../provider-options.ts'

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
