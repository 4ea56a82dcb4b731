import { type Level, SILENCE } from '../audio/level.ts'
import type { Speech } from './speech.ts'
import type { ReceivedSpeech } from './speech-session.ts'

/** Phase of the Speak panel. `waiting` lasts from the click to the first sound. */
export type SpeechPhase = 'idle' | 'waiting' | 'speaking' | 'done' | 'stopped' | 'failed'

/** State of the Speak panel. */
export interface SpeechState {
  readonly phase: SpeechPhase
  readonly error: string | undefined
  /** From the click to the first sound, in milliseconds. */
  readonly firstAudioMs: number | undefined
  readonly received: ReceivedSpeech | undefined
  readonly playedSeconds: number
  readonly level: Level
  /** The complete speech, after all audio has arrived. */
  readonly speech: Speech | undefined
}

/** State before the first speech. */
export const IDLE: SpeechState = {
  phase: 'idle',
  error: undefined,
  firstAudioMs: undefined,
  received: undefined,
  playedSeconds: 0,
  level: SILENCE,
  speech: undefined,
}
