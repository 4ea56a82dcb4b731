/** Arguments of an uploading client. */
export interface UploadArgs {
  /** Address of the sink without `/v1`. */
  readonly origin: string
  /** The file. */
  readonly path: string
}
