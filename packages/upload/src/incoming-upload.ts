import type { UploadFields, WithFields } from './form-fields.ts'

/** An upload with an arriving file. Read {@link IncomingUpload.stream}, or call {@link IncomingUpload.dispose}. */
export interface IncomingUpload extends WithFields {
  /**
   * The file's bytes, read from the connection only as fast as the consumer reads. It can be read once. It ends only if
   * the whole form is correct and throws the failure otherwise, so a consumer never mistakes a part for the whole.
   * Ending the iteration early disposes of the upload.
   */
  readonly stream: AsyncIterable<Uint8Array>
  /** The client's file name, cleaned; without one, `audio` with the extension of the sniffed type. */
  readonly filename: string
  /** The media type that the client declares. Do not trust it. */
  readonly declaredType: string
  /** The type by the first bytes, e.g. `audio/wav`; `undefined` for accepted raw content. */
  readonly sniffedType: string | undefined
  /** Bytes read from `stream` so far. */
  readonly bytes: number
  /** Text fields before the file. */
  readonly fields: UploadFields
  /** Text fields after the file, once the form is complete. Rejects with the failure. You need not wait for it. */
  readonly trailingFields: Promise<UploadFields>
  /**
   * Aborts with the `UploadError` when the upload fails, with `ClientDisconnectedError` when the client disconnects,
   * and with the reason of the caller's signal when that aborts. Pass it to the consumer of the stream. It does not
   * abort on `dispose()`: the consumer knows the reason.
   */
  readonly signal: AbortSignal
  /** Discards the rest of the upload. No effect after the form's end. */
  dispose(): void
}
