/** The sink's view of one upload. */
export interface UploadReport {
  /** The `Content-Length` header; `null` for a chunked body. */
  readonly contentLength: number | null
  /** Arrival of its first byte, in milliseconds since the epoch. */
  readonly firstByteAt: number
  /** Bytes of the whole body. */
  readonly bodyBytes: number
  /** Bytes of the file, without the multipart around it. */
  readonly fileBytes: number
}
