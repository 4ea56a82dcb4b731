import type { PcmFormat } from '@svc-audio/core/streaming'
import type { VoiceManner, VoiceTraits } from '../domain/voice-design/voice-parameters.ts'

/** Nothing in the text can be spoken. Its message is meant for the caller of the API. */
export class UnspeakableTextError extends Error {
  override readonly name = 'UnspeakableTextError' as const
}

/** A voice that an engine can speak with. */
export interface EngineVoice {
  /** The public voice id, as it appears in `voice_id`. */
  readonly id: string
  /** A name for people. */
  readonly name: string
  /** BCP 47 primary language tag, e.g. `en`. */
  readonly language: string
  /** What other voices can be built on; absent for a voice that speaks in its own manner only. */
  readonly traits?: VoiceTraits
}

/** One piece of text to be spoken. */
export interface SynthesisRequest {
  /** The text, non-empty after trimming. */
  readonly text: string
  /** The id of one of the engine's voices. */
  readonly voiceId: string
  /** How that voice is to speak, if not as it is; only for one with {@link EngineVoice.traits}. */
  readonly manner?: VoiceManner
  /** Whether `[pause X.Ys]` markers become silence. Markers have been checked before; without it the text is spoken as it stands. @default false */
  readonly pauses?: boolean
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /** Total length to aim for, in seconds, greater than 0. Wins over `speed` where both are given. */
  readonly expectedDurationSeconds?: number
}

/** Audio while it is being made. */
export interface Synthesis {
  readonly format: PcmFormat
  /**
   * PCM in speaking order, in whole frames, sentence by sentence: the first chunk comes as soon as the first sentence
   * is ready. Can be read once. Leaving the loop early stops the work.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Text to PCM. A driver must stop its work when `signal` aborts, rejecting with the signal's reason, and must leave
 * nothing running after {@link SpeechEngine.close}.
 */
export interface SpeechEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  readonly voices: readonly EngineVoice[]
  /**
   * Accepts a text. Resolves once the format is known; the work itself may begin at the first read.
   * @throws UnspeakableTextError when the text holds nothing that this engine can say.
   * @throws RangeError when `voiceId` is not one of {@link SpeechEngine.voices}, or cannot speak in that manner.
   */
  synthesize(request: SynthesisRequest, options?: { readonly signal?: AbortSignal }): Promise<Synthesis>
  close(): Promise<void>
}
