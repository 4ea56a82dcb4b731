import type { Open, VoiceGenerationModel } from './models.ts'
import type { DeliveryMethod, ResponseFormat } from './speech.ts'

/** Maximum voices on one page; the default is 20 (interface: List voices). */
export const VOICES_LIMIT_MAX = 150

/** Voices on one page where no `limit` is given (interface: List voices). */
export const VOICES_LIMIT_DEFAULT = 20

/** A voice. Its id is the `voice_id` of the speech endpoints. */
export interface Voice {
  /** The `voice_id` of speech. */
  readonly id: string
  /** Kind of the object. */
  readonly object: 'audio.voice'
  /** Empty when none was given. */
  readonly name: string
  /** Unix seconds. */
  readonly created_at: number
  /** Language of a built-in voice, a primary tag such as `de`. An addition of the self-hosted service, as the next four. */
  readonly language?: string | undefined
  /** All languages of the voice, if it has several. */
  readonly languages?: readonly string[] | undefined
  /** How the voice sounds to people, if known. */
  readonly gender?: 'female' | 'male' | 'neutral' | undefined
  /** A sentence about the voice, if it has one. */
  readonly description?: string | undefined
  /** The engine of a built-in voice, if the service has several. */
  readonly engine?: string | undefined
}

/** Query of `GET /v1/audio/voices`. */
export interface VoiceListQuery {
  /** 1 to 150. @default 20 */
  readonly limit?: number
  /** Entries to skip. */
  readonly offset?: number
  /** The `next_cursor` of the page before. */
  readonly after?: string
  /** Filters by status; its values are the service's. */
  readonly status?: string
}

/** One page of voices. */
export interface VoiceList {
  /** Kind of the object. */
  readonly object: 'list'
  /** Entries of this page. */
  readonly data: readonly Voice[]
  /** Whether another page follows. */
  readonly has_more: boolean
  /** Present when the page is not empty. */
  readonly first_id?: string
  /** Present when the page is not empty. */
  readonly last_id?: string
  /** Present when there is a next page: pass it as `after`. */
  readonly next_cursor?: string
}

/** Text fields of the multipart body of `POST /v1/audio/voices`, beside the file `audio_sample`. */
export interface VoiceRequest {
  /** Name of the voice. */
  readonly name?: string
  /** Description of the voice. */
  readonly description?: string
}

/** Body of `POST /v1/audio/voice/generations`. */
export interface VoiceGenerationRequest {
  /** Model id. */
  readonly model: Open<VoiceGenerationModel>
  /** The text to speak. */
  readonly input: string
  /** Style, age, emotion, speaking rate and so on, in words. */
  readonly instruction: string
  /** Format of the result. */
  readonly response_format?: Open<ResponseFormat>
  /** @default 'audio' */
  readonly delivery_method?: DeliveryMethod
  /** Makes a task instead of a response. */
  readonly async?: boolean
  /** HTTPS URL called when the task completes. */
  readonly webhook_url?: string
}
