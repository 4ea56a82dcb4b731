import type { DialogueModel, Open } from './models.ts'
import type { AigcMetadata, DeliveryMethod, ResponseFormat } from './speech.ts'

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
