import type { DialogueModel, Open } from './models.ts'
import type { AigcMetadata, DeliveryMethod, ResponseFormat } from './speech.ts'

/** Who speaks in a dialogue. */
export interface DialogueSpeaker {
  /** Referenced by {@link DialogueSegment.speaker}. */
  readonly id: string
  readonly voice_id: string
}

/** One line of a dialogue. */
export interface DialogueSegment {
  /** One of the speakers' ids. */
  readonly speaker: string
  readonly text: string
}

/** Body of `POST /v1/audio/speech/speakers`. */
export interface DialogueRequest {
  readonly model: Open<DialogueModel>
  /** Non-empty. */
  readonly speakers: readonly DialogueSpeaker[]
  /** Non-empty, in speaking order. */
  readonly segments: readonly DialogueSegment[]
  readonly response_format?: Open<ResponseFormat>
  /** @default 'audio' */
  readonly delivery_method?: DeliveryMethod
  readonly async?: boolean
  /** HTTPS URL called when the task completes. */
  readonly webhook_url?: string
  readonly aigc_metadata?: AigcMetadata
}
