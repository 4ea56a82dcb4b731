/** Names of the processors. */
export const MICROPHONE = 'svc-audio-microphone'
/** Name of the player's processor. */
export const PLAYER = 'svc-audio-player'

/** Rate of the microphone's frames, in hertz: that of speech recognition. */
export const MICROPHONE_RATE = 16_000

/** A frame of the microphone: 20 ms at {@link MICROPHONE_RATE}. */
export interface MicrophoneFrame {
  /** 16-bit little-endian mono PCM. */
  readonly pcm: ArrayBuffer
  /** Loudness: the root mean square, full scale is 1. */
  readonly level: number
}

/** Messages to the player. */
export type PlayerInput =
  /** Appends 16-bit little-endian PCM. */
  | { readonly type: 'audio'; readonly pcm: ArrayBuffer; readonly sampleRate: number; readonly channels: number }
  /** Drops all audio. Reports carry the new turn from now on, and count from 0. */
  | { readonly type: 'flush'; readonly turn: number }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }

/** Report of the player, 20 per second while it is not idle. */
export interface PlayerReport {
  readonly turn: number
  /** Seconds of the turn that were played. */
  readonly played: number
  /** Seconds that wait. */
  readonly queued: number
  /** `audio` messages that came since the flush. */
  readonly pieces: number
  /** Silent frames since the flush, between the first and the last audio: gaps. */
  readonly starved: number
  /** Loudness of what plays: the root mean square. */
  readonly level: number
}
