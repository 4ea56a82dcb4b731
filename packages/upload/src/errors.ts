import { gatewayResponse, type GatewayResponse } from '@svc-audio/core/adapter'

/** Code of an upload that is refused. */
export type UploadErrorCode =
  | 'empty_body'
  | 'empty_file'
  | 'invalid_fields'
  | 'malformed_part'
  | 'missing_boundary'
  | 'missing_file'
  | 'too_many_files'
  | 'truncated_form'
  | 'unexpected_file'
  | 'upload_timeout'
  | 'field_too_large'
  | 'file_too_large'
  | 'form_too_large'
  | 'too_many_fields'
  | 'not_multipart'
  | 'unsupported_content'
  | 'unsupported_encoding'
  | 'body_already_read'
  | 'tee_failed'

/** What a code means. */
interface UploadErrorEntry {
  /** HTTP status. */
  readonly status: number
  /** Why it happens, as Markdown. */
  readonly cause: string
  /** What to do, as Markdown. */
  readonly remedy: string
}

/** Every fault of an upload. `docs/errors.md` is made from it. */
export const UPLOAD_ERRORS: Readonly<Record<UploadErrorCode, UploadErrorEntry>> = {
  empty_body: { status: 400, cause: 'the request has no body', remedy: 'Send the form as the body of the request.' },
  empty_file: {
    status: 400,
    cause: 'the file has no bytes',
    remedy: 'Choose another file. An input that was read before it was sent is empty too.',
  },
  invalid_fields: {
    status: 400,
    cause: 'the schema of the server refuses fields of the form',
    remedy: 'Correct the fields of `issues`. The server reads the fields that stand before the file.',
  },
  malformed_part: {
    status: 400,
    cause: 'the headers of a part cannot be read',
    remedy: 'Let `FormData` or your HTTP client write the form.',
  },
  missing_boundary: {
    status: 400,
    cause: '`content-type` has no boundary',
    remedy: 'Do not set `content-type` yourself: `fetch` sets it with the boundary of its `FormData`.',
  },
  missing_file: {
    status: 400,
    cause: 'the form has no file in the field that the server expects',
    remedy: 'Name the field of the file as `fileField` of the server, `file` by default.',
  },
  too_many_files: { status: 400, cause: 'the form has more than one file', remedy: 'Send a form for each file.' },
  truncated_form: {
    status: 400,
    cause: 'the form ended before its last boundary',
    remedy: 'Send it again: the connection or a proxy cut it.',
  },
  unexpected_file: {
    status: 400,
    cause: 'a file is in another field than the server expects',
    remedy: 'Name the field of the file as `fileField` of the server, `file` by default.',
  },
  upload_timeout: {
    status: 408,
    cause: 'the client was too slow for `timeout`',
    remedy: 'Send it again. The server raises `timeout` for slow networks.',
  },
  field_too_large: {
    status: 413,
    cause: 'a text field is larger than the server allows',
    remedy: 'Shorten the field, or send its content as the file.',
  },
  file_too_large: {
    status: 413,
    cause: 'the file is larger than `maxFileSize` of the server',
    remedy: 'Send a shorter recording, or one that is encoded, such as MP3. The server raises `maxFileSize`.',
  },
  form_too_large: {
    status: 413,
    cause: 'the form around the file is larger than the server allows',
    remedy: 'Send fewer and shorter fields.',
  },
  too_many_fields: {
    status: 413,
    cause: 'the form has more fields than the server allows',
    remedy: 'Send fewer fields.',
  },
  not_multipart: {
    status: 415,
    cause: 'the body is no form',
    remedy: 'Send the file as `multipart/form-data`.',
  },
  unsupported_content: {
    status: 415,
    cause: 'the bytes of the file are none of the accepted kinds of audio or video',
    remedy: 'Send a recording, for example WAV, MP3, WebM or MP4.',
  },
  unsupported_encoding: {
    status: 415,
    cause: 'the form is compressed',
    remedy: 'Send it without `content-encoding`.',
  },
  body_already_read: {
    status: 500,
    cause: 'a body parser in front has read the upload',
    remedy: 'Move body parsers of the application behind the upload.',
  },
  tee_failed: {
    status: 500,
    cause: 'the copy that the application stores could not be written',
    remedy: 'Look at the `cause`: it is the error of your storage.',
  },
}

const REFUSED = Symbol.for('svc-audio.upload-error')

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
    Object.defineProperty(this, REFUSED, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is UploadError {
    return typeof value === 'object' && value !== null && REFUSED in value
  }
}

const DISCONNECTED = Symbol.for('svc-audio.client-disconnected-error')

/**
 * The client closed its connection before the response was complete. No response can be sent: `status` 499 is for logs, as
 * in nginx.
 */
export class ClientDisconnectedError extends Error {
  /** The class name: programs compare it. `isInstance` also knows errors of a second copy of the package. */
  override readonly name = 'ClientDisconnectedError' as const
  /** The reason, for programs. */
  readonly code = 'client_disconnected' as const
  /** Status for logs. Nobody receives it. */
  readonly status = 499 as const
  /** No caller sees the message. */
  readonly expose = false as const

  constructor() {
    super('The client closed the connection')
    Object.defineProperty(this, DISCONNECTED, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is ClientDisconnectedError {
    return typeof value === 'object' && value !== null && DISCONNECTED in value
  }
}

const GATEWAY = Symbol.for('svc-audio.gateway-error')

/**
 * A failed call to the audio service, in a form that any error handler may show: `status`, `code`, `message` and
 * `headers` are for the caller and contain nothing of the service's own response. `cause` is the original error. It is
 * for logs: it contains the service's text, and never the key.
 *
 * Without it, a framework that reads `error.status` would answer the service's 401 as its own.
 */
export class AudioGatewayError extends Error {
  /** The class name: programs compare it. `isInstance` also knows errors of a second copy of the package. */
  override readonly name = 'AudioGatewayError' as const
  /** HTTP status of the response, as `gatewayResponse` of `@svc-audio/core/adapter` maps it. */
  readonly status: number
  /** For programs, in snake case, e.g. `audio_service_unavailable`. */
  readonly code: string
  /** Whether a caller may see the message: always, except for a misconfigured server (500). */
  readonly expose: boolean
  /** Seconds for a `Retry-After` header, if the service named them. */
  readonly retryAfterSeconds: number | undefined
  /** Headers of the response, by lower-case name: `retry-after` or none. Express sends them by itself. */
  readonly headers: Readonly<Record<string, string>>

  /** @param cause The original error, if there is one. */
  constructor({ status, code, message, retryAfterSeconds }: GatewayResponse, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.expose = status !== 500
    this.retryAfterSeconds = retryAfterSeconds
    this.headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    Object.defineProperty(this, GATEWAY, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is AudioGatewayError {
    return typeof value === 'object' && value !== null && GATEWAY in value
  }
}

/**
 * Makes an error safe for a framework: an error of the client becomes an {@link AudioGatewayError}. Any other value is
 * returned unchanged: `UploadError` and `ClientDisconnectedError` are safe, and other errors come from elsewhere.
 */
export function toGatewayError(error: unknown): unknown {
  const response = gatewayResponse(error)
  return response === undefined ? error : new AudioGatewayError(response, error)
}
