import type { PcmFormat } from '@svc-audio/core/audio'
import type { Turns } from './turns.ts'
import type { VoiceManner, VoiceTraits } from './voices.ts'

/** The text contains nothing speakable. The message is for the caller of the API. */
export class UnspeakableTextError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'UnspeakableTextError' as const
}

/** A voice of an engine. */
export interface EngineVoice {
  /** The public voice id, as it appears in `voice_id`. */
  readonly id: string
  /** A name for people. */
  readonly name: string
  /** BCP 47 primary language tag, e.g. `en`. */
  readonly language: string
  /** All languages of the voice, as primary tags, with {@link EngineVoice.language}. @default that language alone */
  readonly languages?: readonly string[] | undefined
  /** How the voice sounds to people. @default unknown */
  readonly gender?: 'female' | 'male' | 'neutral' | undefined
  /** A sentence about the voice for people. @default none */
  readonly description?: string | undefined
  /** When the voice was published, in Unix seconds. @default unknown, which the service shows as 0 */
  readonly createdAt?: number
  /** The traits that other voices are built on. Absent for a voice that cannot be changed. */
  readonly traits?: VoiceTraits
}

/** Input of {@link SpeechEngine.synthesize}. */
export interface SynthesisRequest {
  /** The text, non-empty after trimming. */
  readonly text: string
  /** The id of one of the engine's voices. */
  readonly voiceId: string
  /** Changes of the voice. Only for a voice with {@link EngineVoice.traits}. @default none */
  readonly manner?: VoiceManner
  /**
   * Whether `[pause X.Ys]` markers become silence. The markers are already checked. Without this option, the text is
   * spoken unchanged. @default false
   */
  readonly pauses?: boolean
  /** Language of the text, a BCP 47 tag. An engine without a choice ignores it. @default that of the text or the voice */
  readonly language?: string | undefined
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /** Total length to aim for, in seconds, greater than 0. Overrides `speed`. */
  readonly expectedDurationSeconds?: number
}

/** Options of {@link SpeechEngine.synthesize}. */
export interface SynthesisOptions {
  /** Stops the work. */
  readonly signal?: AbortSignal
  /** Runs each sentence in its turn. The cost is the estimated processor time. @default at once */
  readonly turns?: Turns
}

/** Audio during synthesis. */
export interface Synthesis {
  /** Sample rate, channels and depth of the chunks. It stays the same to the end. */
  readonly format: PcmFormat
  /**
   * PCM in speaking order, in whole frames, sentence by sentence. The first chunk comes as soon as the first sentence
   * is ready. It can be read once. Leaving the loop early stops the work.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Converts text to PCM. A driver stops its work when `signal` aborts, and rejects with the signal's reason. {@link
 * SpeechEngine.close} leaves nothing running.
 */
export interface SpeechEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  /** The voices that {@link SpeechEngine.synthesize} accepts, at least one. */
  readonly voices: readonly EngineVoice[]
  /** Id of the voice that tells whether the engine works: one that is quick to speak. @default the first */
  readonly probeVoiceId?: string | undefined
  /**
   * Accepts a text. Resolves once the format is known. The work may begin at the first read.
   * @throws UnspeakableTextError when the text contains nothing speakable.
   * @throws RangeError when `voiceId` is not one of {@link SpeechEngine.voices}, or does not support `manner`.
   */
  synthesize(request: SynthesisRequest, options?: SynthesisOptions): Promise<Synthesis>
  /** Ends the engine: running work and later work reject. A second call does nothing. */
  close(): Promise<void>
}
