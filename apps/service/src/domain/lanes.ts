/**
 * The kinds of tasks of each lane. A lane has its own workers and its own shares of the tenants: long transcriptions do
 * not delay speech, and a tenant's use of one lane does not count in the other.
 */
export const LANES = {
  speech: ['audio.speech', 'audio.voice_generation'],
  recognition: ['audio.transcription'],
} as const

/** Name of a lane. */
export type Lane = keyof typeof LANES

/** The names of all lanes. */
export const LANE_NAMES = ['speech', 'recognition'] as const satisfies readonly Lane[]

/** Returns the lane of a kind of task. */
export function laneOf(kind: (typeof LANES)[Lane][number]): Lane {
  return kind === 'audio.transcription' ? 'recognition' : 'speech'
}

/** Estimated processor time of a task without an estimate, in milliseconds: that of a short text, or of 5 s of sound. */
export const UNKNOWN_COST = 1000
