import type { UploadFields } from './form-fields.ts'

/** An upload whose file has begun to arrive. Read {@link IncomingUpload.stream}, or call {@link IncomingUpload.dispose}. */
export interface IncomingUpload {
  /**
   * The file's bytes, from the first on, read from the connection only as fast as they are taken here. It can be read
   * once. It ends only when the whole form was found in order; otherwise it throws the failure, so a consumer never
   * mistakes a part for the whole. Leaving the iteration early disposes of the upload.
   */
  readonly stream: AsyncIterable<Uint8Array>
  /** The client's name for the file, cleaned; without one `audio` and the extension of what was sniffed. */
  readonly filename: string
  /** The client's word on the media type; not to be trusted. */
  readonly declaredType: string
  /** What the first bytes say, e.g. `audio/wav`; `undefined` for raw content that was allowed. */
  readonly sniffedType: string | undefined
  /** Bytes of the file that were taken from {@link IncomingUpload.stream} so far. */
  readonly bytes: number
  /** Text fields before the file. */
  readonly fields: UploadFields
  /** Text fields after the file, once the form is complete. Rejects with the failure. You need not wait for it. */
  readonly trailingFields: Promise<UploadFields>
  /**
   * Aborts when the upload fails, with the `UploadError`; when the client disconnects, with `ClientDisconnectedError`;
   * when the caller's signal aborts, with its reason. Pass it to the consumer of the stream. It does not abort when the
   * upload is disposed of: the consumer knows the reason.
   */
  readonly signal: AbortSignal
  /** Gives the upload up: the rest of the body is thrown away. Does nothing after the form's end. */
  dispose(): void
}
