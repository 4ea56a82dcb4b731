/** What a client is told to upload, and where. */
export interface UploadArgs {
  /** Address of the sink without `/v1`. */
  readonly origin: string
  /** The file. */
  readonly path: string
}
