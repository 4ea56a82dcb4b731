import { type Level, SILENCE } from '../audio/level.ts'
import type { Speech } from './speech.ts'
import type { ReceivedSpeech } from './speech-session.ts'

/** Where the Speak panel is. `waiting` lasts from the click to the first sound. */
export type SpeechPhase = 'idle' | 'waiting' | 'speaking' | 'done' | 'stopped' | 'failed'

/** What the Speak panel shows. */
export interface SpeechState {
  readonly phase: SpeechPhase
  readonly error: string | undefined
  /** From the click to the first sound, in milliseconds. */
  readonly firstAudioMs: number | undefined
  readonly received: ReceivedSpeech | undefined
  readonly playedSeconds: number
  readonly level: Level
  /** The whole speech, once all of it has arrived. */
  readonly speech: Speech | undefined
}

/** Before anything was spoken. */
export const IDLE: SpeechState = {
  phase: 'idle',
  error: undefined,
  firstAudioMs: undefined,
  received: undefined,
  playedSeconds: 0,
  level: SILENCE,
  speech: undefined,
}
