import type { DialogueModel, Open, SpeechModel, StreamingSpeechModel } from './models.ts'

/** Slowest `speed` of streaming speech (interface: Limits). */
export const SPEED_MIN = 0.25

/** Fastest `speed` of streaming speech (interface: Limits). */
export const SPEED_MAX = 4

/** Audio formats known to be accepted as `response_format`. The interface gives `mp3` and `wav` as examples. */
export type ResponseFormat = 'mp3' | 'wav' | 'opus' | 'flac' | 'aac' | 'pcm'

/** Other names of formats, with their names in the interface. */
export interface FormatRemedies {
  /** The container of Opus. */
  readonly ogg: "write 'opus': it is Opus in an Ogg file"
  /** The media type of MP3. */
  readonly mpeg: "write 'mp3'"
  /** The media type of WAV. */
  readonly wave: "write 'wav'"
}

/**
 * A `response_format`. Any string passes, but not another name of a known format: the compiler then says which name to
 * write.
 */
export type FormatOf<Given extends string> = Given extends keyof FormatRemedies ? FormatRemedies[Given] : Given

/** How a synchronous result is delivered: the audio itself, or JSON with its URL. */
export type DeliveryMethod = 'audio' | 'url'

/**
 * An implicit AIGC marking for the generated file's metadata; the speech itself never changes
 * (interface: `aigc_metadata`).
 */
export interface AigcMetadata {
  /** Writes the marking. @default false */
  readonly enabled?: boolean
  /** Name or code of the content propagation provider. */
  readonly content_propagator?: string
  /** Content propagation id. */
  readonly propagate_id?: string
}

/** Body of `POST /v1/audio/speech` without `stream`. */
export interface SpeechRequest {
  /** Model id. */
  readonly model: Open<SpeechModel>
  /** The text. `[pause X.Ys]`, 0.1 to 10.0 seconds, is silence with `svc-tts-1.5-flash`. Other models refuse it. */
  readonly input: string
  /** A voice id, from the voice list or from voice creation. */
  readonly voice_id: string
  /** Format of the result. */
  readonly response_format?: Open<ResponseFormat>
  /** @default 'audio' */
  readonly delivery_method?: DeliveryMethod
  /** Makes a task instead of a response. */
  readonly async?: boolean
  /** HTTPS URL called when the task completes. */
  readonly webhook_url?: string
  /** Marks the file as generated. */
  readonly aigc_metadata?: AigcMetadata
}

/** Body of `POST /v1/audio/speech` with `stream: true`. */
export interface SpeechStreamRequest {
  /** Model id. */
  readonly model: Open<StreamingSpeechModel>
  /** The text, non-empty after trimming. It may contain `[pause X.Ys]`, 0.1 to 10.0 seconds. */
  readonly input: string
  /** A voice id. Without it the service chooses a voice. */
  readonly voice_id?: string
  /** A language hint; trimmed by the service. */
  readonly language?: string
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /** Target length, in seconds, greater than 0. */
  readonly expected_duration_sec?: number
  /** Always true. */
  readonly stream: true
  /** Always `pcm`. */
  readonly response_format: 'pcm'
  /** Raw PCM bytes, or server-sent events. @default 'audio' */
  readonly stream_format?: 'audio' | 'sse'
  /** Applies to the final file that the service stores. Live PCM carries no marking. */
  readonly aigc_metadata?: AigcMetadata
}

/** Answer with `delivery_method: 'url'` (interface: Speech result). */
export interface SpeechResult {
  /** Id of the task or result. */
  readonly id: string
  /** Kind of the object. */
  readonly object: Open<'audio.speech' | 'audio.voice_generation'>
  /** State of the task, e.g. `SUCCESS`. */
  readonly status: string
  /** Address of the audio. It may expire. */
  readonly url: string
  /** The actual format, e.g. `mp3`. */
  readonly response_format: string
  /** The audio's MIME type. */
  readonly content_type: string
  /** Unix seconds. */
  readonly created_at: number
}

/** Who speaks in a dialogue. */
export interface DialogueSpeaker {
  /** Referenced by {@link DialogueSegment.speaker}. */
  readonly id: string
  /** Id of the voice. */
  readonly voice_id: string
}

/** One line of a dialogue. */
export interface DialogueSegment {
  /** One of the speakers' ids. */
  readonly speaker: string
  /** What the speaker says. */
  readonly text: string
}

/** Body of `POST /v1/audio/speech/speakers`. */
export interface DialogueRequest {
  /** Model id. */
  readonly model: Open<DialogueModel>
  /** Non-empty. */
  readonly speakers: readonly DialogueSpeaker[]
  /** Non-empty, in speaking order. */
  readonly segments: readonly DialogueSegment[]
  /** Format of the result. */
  readonly response_format?: Open<ResponseFormat>
  /** @default 'audio' */
  readonly delivery_method?: DeliveryMethod
  /** Makes a task instead of a response. */
  readonly async?: boolean
  /** HTTPS URL called when the task completes. */
  readonly webhook_url?: string
  /** Marks the file as generated. */
  readonly aigc_metadata?: AigcMetadata
}
