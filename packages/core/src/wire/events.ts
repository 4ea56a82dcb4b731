import type { Open } from './models.ts'

/** The task of the stream. It may come first or not at all. */
export interface TaskCreatedEvent {
  readonly type: 'task.created'
  readonly task_id: string
  readonly object: Open<'audio.speech' | 'audio.transcription'>
  /** Usually `PROCESSING`. */
  readonly status: string
  readonly model: string
}

/** The format of all PCM that follows. */
export interface SpeechCreatedEvent {
  readonly type: 'speech.created'
  /** `pcm`; any other value fails the stream. */
  readonly format: string
  /** Hz. */
  readonly sample_rate: number
  readonly channels: number
  /** Divisible by 8. */
  readonly bit_depth: number
}

/** A piece of audio. */
export interface SpeechAudioDeltaEvent {
  readonly type: 'speech.audio.delta'
  /** Base64 PCM. An empty value is ignored. */
  readonly audio: string
}

/** Terminal: the audio is complete. */
export interface SpeechAudioDoneEvent {
  readonly type: 'speech.audio.done'
}

/** Terminal: the stream failed. */
export interface StreamErrorEvent {
  readonly type: 'error'
  readonly error?: { readonly code?: string; readonly message?: string }
}

/** Events of a speech stream (interface: Streaming speech events). Their order must not be relied on. */
export type SpeechStreamEvent =
  | TaskCreatedEvent
  | SpeechCreatedEvent
  | SpeechAudioDeltaEvent
  | SpeechAudioDoneEvent
  | StreamErrorEvent

/** More of the text. */
export interface TranscriptTextDeltaEvent {
  readonly type: 'transcript.text.delta'
  readonly delta: string
}

/** One speaker's segment is final. */
export interface TranscriptSegmentDoneEvent {
  readonly type: 'transcript.segment.done'
  readonly content_index: number
  readonly speaker: string
  readonly text: string
}

/** Terminal: the transcription is complete. */
export interface TranscriptTextDoneEvent {
  readonly type: 'transcript.text.done'
  /** The full text, if present. */
  readonly text?: string
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
  }
}

/** Events of a transcription stream (interface: Transcription events). */
export type TranscriptionStreamEvent =
  | TaskCreatedEvent
  | TranscriptTextDeltaEvent
  | TranscriptSegmentDoneEvent
  | TranscriptTextDoneEvent
  | StreamErrorEvent
