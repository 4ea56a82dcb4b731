import { UPLOAD_ERRORS, type UploadErrorCode } from './upload-error-codes.ts'

const MARKER = Symbol.for('svc-audio.upload-error')

/** A field that a schema refuses. */
export interface FieldIssue {
  /** Path of the field, e.g. `name`; empty for the form as a whole. */
  readonly field: string
  /** The schema's message. */
  readonly message: string
}

/** Every code of an {@link UploadError}. */
export const UPLOAD_ERROR_CODES: readonly string[] = Object.keys(UPLOAD_ERRORS)

/**
 * A refused upload. HTTP frameworks read `status`, `code` and `expose`. The message is for the uploading user. It
 * contains neither content nor names of the upload.
 */
export class UploadError extends Error {
  /** The class name: programs compare it. `isInstance` also knows errors of a second copy of the package. */
  override readonly name = 'UploadError' as const
  /** The reason, for programs. */
  readonly code: UploadErrorCode
  /** 400, 408, 413 or 415; 500 for a fault of the application. */
  readonly status: number
  /** Whether a caller may see the message: true below 500. */
  readonly expose: boolean
  /** The refused fields of `invalid_fields`, else empty. */
  readonly issues: readonly FieldIssue[]

  /** @param options `cause` is the original error. */
  constructor(
    code: UploadErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly issues?: readonly FieldIssue[] } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.issues = options.issues ?? []
    this.code = code
    this.status = UPLOAD_ERRORS[code].status
    this.expose = this.status < 500
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is UploadError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
