import type { UploadStream } from '@svc-audio/core'
import type { TranscriptStore } from '../transcripts/transcript-store.ts'
import type { AudioInput } from './audio-input.ts'
import type { StoreAccess } from './store-access.ts'

/**
 * Stores audio outside the conversation, so that messages name it by a short id. `folderAudioStore`, `memoryAudioStore`
 * and `serviceAudioStore` are implementations.
 */
export interface AudioStore {
  /**
   * Throws when audio cannot be stored at the moment. Tools call it before each billable call.
   * @default audio can always be stored
   */
  ready?(access?: StoreAccess): Promise<void>
  /** Stores the whole audio. When reading throws or `details.signal` aborts, nothing of it may remain. */
  put(audio: AudioInput, details: AudioDetails): Promise<StoredAudio>
  /**
   * Opens stored audio of this user; `undefined` when there is none with that id. The id comes from a model: treat it as
   * hostile. Its shape is checked: it has no slash and no `..`.
   */
  open(id: string, access?: StoreAccess): Promise<OpenedAudio | undefined>
  /** Lists stored audio of this user, the newest first. @default nothing is listed */
  list?(query?: AudioListQuery): Promise<readonly ListedAudio[]>
  /** Stores transcripts beside the audio. @default the tools keep the newest 100 transcripts in memory */
  readonly transcripts?: TranscriptStore
}

/** Query of the list of a store. */
export interface AudioListQuery extends StoreAccess {
  /** @default 100 */
  readonly limit?: number
}

/** Audio in the list of a store. */
export type ListedAudio = Pick<StoredAudio, 'id' | 'contentType' | 'bytes'>

/** Details of audio for a store. */
export interface AudioDetails extends StoreAccess {
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
}

/** Audio in a store. */
export interface StoredAudio {
  /**
   * Names the audio to model and store: 1 to 200 of `A-Z a-z 0-9 . _ ~ -`, beginning with a letter or digit, without
   * `..`. Anyone who knows it can have the audio transcribed, so it must be unguessable.
   */
  readonly id: string
  /** MIME type as stored. */
  readonly contentType: string
  /** Size of the audio. */
  readonly bytes: number
  /** Address of the audio, if it has one. */
  readonly url?: string
}

/** Stored audio: its bytes, or its id at the service. */
export type OpenedAudio =
  | ReadableAudio
  | {
      /** Id of a file that the service has: nothing is uploaded. */
      readonly file_id: string
    }

/** Stored audio that can be read. */
export interface ReadableAudio {
  /** MIME type as stored. */
  readonly contentType: string
  /** Exact size; without it an upload is chunked. */
  readonly bytes?: number
  /** Reads from the start. May be called again. */
  stream(): UploadStream
}

/** Whether a text has the shape of an id of an {@link AudioStore}. */
export function isAudioId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/.test(text) && !text.includes('..')
}
