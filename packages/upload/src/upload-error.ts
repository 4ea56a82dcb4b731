const MARKER = Symbol.for('svc-audio.upload-error')

/** What can be wrong with an upload, and the HTTP status that says so. */
const STATUS = {
  empty_body: 400,
  empty_file: 400,
  malformed_part: 400,
  missing_boundary: 400,
  missing_file: 400,
  too_many_files: 400,
  truncated_form: 400,
  unexpected_file: 400,
  field_too_large: 413,
  file_too_large: 413,
  form_too_large: 413,
  too_many_fields: 413,
  not_multipart: 415,
  unsupported_content: 415,
  unsupported_encoding: 415,
  body_already_read: 500,
} as const

/** Code of an {@link UploadError}. */
export type UploadErrorCode = keyof typeof STATUS

/**
 * An upload that is refused. `status`, `code` and `expose` are what HTTP frameworks look for. The message is written for
 * the one who uploads: it holds neither content nor names out of the upload.
 */
export class UploadError extends Error {
  override readonly name = 'UploadError' as const
  readonly code: UploadErrorCode
  /** 400, 413 or 415; 500 when the fault is the application's own. */
  readonly status: number
  /** Whether the message may be shown to the one who uploads: true below 500. */
  readonly expose: boolean

  constructor(code: UploadErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = STATUS[code]
    this.expose = this.status < 500
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is UploadError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
