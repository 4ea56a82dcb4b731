/** What the sink saw of one upload. */
export interface UploadReport {
  /** The `Content-Length` header; `null` when the body came chunked. */
  readonly contentLength: number | null
  /** When its first byte arrived, in milliseconds since the epoch. */
  readonly firstByteAt: number
  /** Bytes of the whole body. */
  readonly bodyBytes: number
  /** Bytes of the file within it, without the multipart around it. */
  readonly fileBytes: number
}
