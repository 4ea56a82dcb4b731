import { toolClient } from '@svc-audio/agent-tools'
import { abortSignal, callback, methods, optional, positive, text, type OptionRule } from '@svc-audio/options'
import type { PureAudioClient } from '@svc-audio/core'
import type { Open, StreamingSpeechModel } from '@svc-audio/core/interface'
import type { VoiceConversation } from './conversation.ts'

/** Options of `speakStage`. */
export interface SpeakStageOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /** The voice that speaks. */
  readonly voice_id: string
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: Open<StreamingSpeechModel>
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /** Language of the text, for its sentences and the service's hint. @default 'en' for sentences, no hint */
  readonly language?: string
  /**
   * Seconds of this answer that the user has heard, from the player. It is asked at a barge-in.
   * @default all audio that was taken from this stage counts as heard
   */
  readonly playedSeconds?: () => number
  /**
   * Most seconds of audio that are handed out ahead of `playedSeconds`. Other events do not wait: so a player that lies
   * behind a network can take everything at once. @default no limit
   */
  readonly bufferSeconds?: number
  /** The conversation of `agentStage`. An interrupted answer is cut to the heard text. */
  readonly conversation?: VoiceConversation
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

/** Checks of {@link SpeakStageOptions}. */
export const SPEAK_STAGE_CHECKS: Readonly<Record<keyof SpeakStageOptions, OptionRule>> = {
  client: toolClient,
  voice_id: text,
  model: optional(text),
  speed: optional(positive()),
  language: optional(text),
  playedSeconds: optional(callback),
  bufferSeconds: optional(positive('seconds')),
  conversation: optional(methods('heard', 'answered')),
  signal: optional(abortSignal),
}
