import { flag, optional, texts } from '@svc-audio/options'
import { type AllProviderOptions, readProviderOptions } from '../provider-options.ts'

/**
 * `providerOptions.svcAudio` of `transcribe` and `experimental_streamTranscribe`.
 *
 * @example
 * providerOptions: { svcAudio: { keyterms: ['Contoso'] } satisfies SvcAudioTranscriptionOptions }
 */
export type SvcAudioTranscriptionOptions = {
  /** Whether speakers are separated. @default the service's */
  diarize?: boolean
  /** Names and terms to recognize. Only for `svc-transcribe-diarize-pro`. @default none */
  keyterms?: string[]
  /**
   * Transcribes in a task and waits for its end, for recordings that take longer than one request may. Not for
   * `experimental_streamTranscribe`.
   * @default false
   */
  async?: boolean
}

/** @throws InvalidArgumentError naming the option */
export function transcriptionOptions(all: AllProviderOptions): SvcAudioTranscriptionOptions {
  return readProviderOptions<SvcAudioTranscriptionOptions>(all, {
    diarize: optional(flag),
    keyterms: optional(texts),
    async: optional(flag),
  })
}
