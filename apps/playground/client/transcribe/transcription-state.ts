/** Audio to transcribe. */
export interface AudioSource {
  readonly file: Blob
  readonly name: string
  /** The spoken text, if known. With it, the panel shows the word error rate. */
  readonly said?: string
}

/** Phase of the Transcribe panel. `reading` begins after the upload. */
export type TranscriptionPhase = 'idle' | 'sending' | 'reading' | 'done' | 'cancelled' | 'failed'

/** State of the Transcribe panel. */
export interface TranscriptionState {
  readonly phase: TranscriptionPhase
  readonly source: AudioSource | undefined
  /** Uploaded share, 0 to 1. */
  readonly sent: number
  readonly transcript: string | undefined
  /** From the start of the upload to the transcript, in milliseconds. */
  readonly ms: number | undefined
  readonly error: string | undefined
}

/** State before the first transcription. */
export const NOTHING: TranscriptionState = {
  phase: 'idle',
  source: undefined,
  sent: 0,
  transcript: undefined,
  ms: undefined,
  error: undefined,
}
