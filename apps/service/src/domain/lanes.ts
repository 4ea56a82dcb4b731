/**
 * A lane has its own workers and its own shares of the tenants: long transcriptions do not delay speech, and a tenant's
 * use of one lane does not count in the other.
 */
export type Lane = 'speech' | 'recognition'

/** Every lane. */
export const LANES: readonly Lane[] = ['speech', 'recognition']

/** The kind of task that has a lane of its own. All others make speech. */
export const RECOGNITION_KIND = 'audio.transcription'

/** Returns the lane of a kind of task. All kinds of a lane need the same engine. */
export function laneOf(kind: string): Lane {
  return kind === RECOGNITION_KIND ? 'recognition' : 'speech'
}

/** Estimated processor time of a task without an estimate, in milliseconds: that of a short text, or of 5 s of sound. */
export const UNKNOWN_COST = 1000
