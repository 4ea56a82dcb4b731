import type { Open, TranscriptionModel } from './models.ts'

/**
 * Fields of `POST /v1/audio/transcriptions` beside the uploaded `file`. Pass exactly one source: a file, `file_id`,
 * `url` or `audio_url`.
 */
export interface TranscriptionRequest {
  /** Model id. */
  readonly model: Open<TranscriptionModel>
  /** Whether speakers are separated. The default is the service's. */
  readonly diarize?: boolean
  /** With the multi-speaker model, answers with server-sent events. */
  readonly stream?: boolean
  /** Format of the result. */
  readonly response_format?: 'json' | 'text'
  /** Names and terms to recognize. Only for the multi-speaker model. */
  readonly keyterms?: readonly string[]
  /** Makes a task instead of a response. */
  readonly async?: boolean
  /** HTTPS URL called when the task completes. */
  readonly webhook_url?: string
  /** Id of an uploaded file. */
  readonly file_id?: string
  /** Public URL of the audio; localhost, loopback and private addresses are refused. */
  readonly url?: string
  /** Compatibility field for `url`. */
  readonly audio_url?: string
}

/** Answer with `response_format: 'json'`. */
export interface Transcription {
  /** The full recognized text. */
  readonly text: string
  /** Only of a {@link DiarizedTranscription}: from the multi-speaker model, unless `diarize` is false. */
  readonly segments?: readonly TranscriptionSegment[]
}

/** A part of a diarized transcription. */
export interface TranscriptionSegment {
  /** Kind of the segment. */
  readonly type: string
  /** Id of the segment. */
  readonly id: string
  /** Seconds from the start. */
  readonly start: number
  /** Seconds from the start. */
  readonly end: number
  /** What the speaker said. */
  readonly text: string
  /** Of the form `S01`, `S02`. */
  readonly speaker: string
}

/** Answer of the multi-speaker model. */
export interface DiarizedTranscription extends Transcription {
  /** Kind of the work, e.g. `transcribe`. */
  readonly task: string
  /** Length of the audio, in seconds. */
  readonly duration: number
  /** May be empty for short audio. */
  readonly segments: readonly TranscriptionSegment[]
}
