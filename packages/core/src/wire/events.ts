import type { Open } from './models.ts'

/** The task of the stream. It may come first or not at all. */
export interface TaskCreatedEvent {
  /** Name of the event. */
  readonly type: 'task.created'
  /** Id of the task. */
  readonly task_id: string
  /** What the task makes. */
  readonly object: Open<'audio.speech' | 'audio.transcription'>
  /** Usually `PROCESSING`. */
  readonly status: string
  /** Model id. */
  readonly model: string
}

/** The format of all PCM that follows. */
export interface SpeechCreatedEvent {
  /** Name of the event. */
  readonly type: 'speech.created'
  /** `pcm`; any other value fails the stream. */
  readonly format: string
  /** Hz. */
  readonly sample_rate: number
  /** Number of channels. */
  readonly channels: number
  /** Divisible by 8. */
  readonly bit_depth: number
}

/** A piece of audio. */
export interface SpeechAudioDeltaEvent {
  /** Name of the event. */
  readonly type: 'speech.audio.delta'
  /** Base64 PCM. An empty value is ignored. */
  readonly audio: string
}

/** Terminal: the audio is complete. */
export interface SpeechAudioDoneEvent {
  /** Name of the event. */
  readonly type: 'speech.audio.done'
}

/** Terminal: the stream failed. */
export interface StreamErrorEvent {
  /** Name of the event. */
  readonly type: 'error'
  /** The failure. */
  readonly error?: {
    /** Stable code of the error. */
    readonly code?: string
    /** Message for people. */
    readonly message?: string
  }
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
  /** Name of the event. */
  readonly type: 'transcript.text.delta'
  /** The next characters of the text. */
  readonly delta: string
}

/** One speaker's segment is final. */
export interface TranscriptSegmentDoneEvent {
  /** Name of the event. */
  readonly type: 'transcript.segment.done'
  /** Place of the segment, from 0. */
  readonly content_index: number
  /** The speaker, e.g. `S01`. */
  readonly speaker: string
  /** What the speaker said. */
  readonly text: string
}

/** Terminal: the transcription is complete. */
export interface TranscriptTextDoneEvent {
  /** Name of the event. */
  readonly type: 'transcript.text.done'
  /** The full text, if present. */
  readonly text?: string
  /** Tokens that the service counted. */
  readonly usage?: {
    /** Tokens of the input. */
    readonly prompt_tokens: number
    /** Tokens of the output. */
    readonly completion_tokens: number
    /** Sum of both. */
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
