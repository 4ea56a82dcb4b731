/** Audio to transcribe. */
export interface AudioSource {
  readonly file: Blob
  readonly name: string
  /** What is said in it, where that is known: then the word error rate is shown. */
  readonly said?: string
}

/** Where the Transcribe panel is. `reading` begins when everything has been sent. */
export type TranscriptionPhase = 'idle' | 'sending' | 'reading' | 'done' | 'cancelled' | 'failed'

/** What the Transcribe panel shows. */
export interface TranscriptionState {
  readonly phase: TranscriptionPhase
  readonly source: AudioSource | undefined
  /** Share that was sent, 0 to 1. */
  readonly sent: number
  readonly transcript: string | undefined
  /** From the start of the upload to the transcript, in milliseconds. */
  readonly ms: number | undefined
  readonly error: string | undefined
}

/** Before anything was transcribed. */
export const NOTHING: TranscriptionState = {
  phase: 'idle',
  source: undefined,
  sent: 0,
  transcript: undefined,
  ms: undefined,
  error: undefined,
}
