/**
 * A work class has its own workers and its own shares of the tenants: long transcriptions do not delay speech, and a
 * tenant's use of one work class does not count in the other.
 */
export type WorkClass = 'speech' | 'recognition'

/** Every work class. */
export const WORK_CLASSES: readonly WorkClass[] = ['speech', 'recognition']

/** The kind of task that has a work class of its own. All others make speech. */
export const RECOGNITION_KIND = 'audio.transcription'

/** Returns the work class of a kind of task. All kinds of a work class need the same engine. */
export function workClassOf(kind: string): WorkClass {
  return kind === RECOGNITION_KIND ? 'recognition' : 'speech'
}

/** Estimated processor time of a task without an estimate, in milliseconds: that of a short text, or of 5 s of sound. */
export const UNKNOWN_COST = 1000
