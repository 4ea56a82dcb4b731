import type { UploadStream } from '@svc-audio/core'

/** Keeps audio outside the conversation, so that messages name it by a short id. `folderAudioStore` is one. */
export interface AudioStore {
  /**
   * Keeps the audio, read to its end. When reading throws, or `details.signal` aborts, nothing may be left of it.
   */
  put(audio: AsyncIterable<Uint8Array>, details: AudioDetails): Promise<StoredAudio>
  /**
   * Opens kept audio; `undefined` when there is none of that id. The id comes from a model: take it for hostile. It has
   * the shape of {@link StoredAudio.id} at least, which has no slash and no `..`.
   */
  open(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<OpenedAudio | undefined>
}

/** What a store is told about audio that it shall keep. */
export interface AudioDetails {
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
  readonly signal?: AbortSignal | undefined
}

/** Audio that a store keeps. */
export interface StoredAudio {
  /**
   * Names the audio to model and store: 1 to 200 of `A-Z a-z 0-9 . _ ~ -`, beginning with a letter or digit, without
   * `..`. Whoever knows it can have the audio transcribed, so it must be unguessable.
   */
  readonly id: string
  /** MIME type as kept. */
  readonly contentType: string
  readonly bytes: number
  /** Absolute path of the file, if there is one. */
  readonly path?: string
  /** Where the audio can be fetched, if it can. */
  readonly url?: string
}

/** Kept audio, ready to be read. */
export interface OpenedAudio {
  readonly contentType: string
  /** Exact size; without it an upload is sent chunked. */
  readonly bytes?: number
  /** Reads from the start. May be called again. */
  stream(): UploadStream
}

/** Whether a text can be an id of an {@link AudioStore}. */
export function isAudioId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/.test(text) && !text.includes('..')
}
