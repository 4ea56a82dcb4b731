import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import busboy from 'busboy'
import { drain, type UploadRequest } from './connection.ts'
import { ClientDisconnectedError, UploadError } from './errors.ts'
import { FormFields, type UploadFields } from './fields.ts'
import type { ResolvedUploadOptions } from './options.ts'

/** A started file part, and the fields before it. */
export interface BegunFile extends FilePart {
  readonly fields: UploadFields
}

/**
 * One arriving form. It ends once: complete, or with a failure. After a failure, the rest of the body is read and
 * discarded within the limits of `drain`.
 */
export class FormReception implements FormHandler {
  /** The file part begins. Rejects with the failure. */
  readonly file: Promise<BegunFile>
  /** The form is complete; resolves with the fields after the file. Rejects with the failure. */
  readonly end: Promise<UploadFields>
  readonly #request: UploadRequest
  readonly #options: ResolvedUploadOptions
  readonly #parser: Writable
  readonly #fields = new FormFields()
  readonly #file = Promise.withResolvers<BegunFile>()
  readonly #end = Promise.withResolvers<UploadFields>()
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[] = []
  #received = 0
  #hasFile = false
  #settled = false

  /** @throws UploadError when the boundary cannot be read */
  constructor(request: UploadRequest, options: ResolvedUploadOptions, signal?: AbortSignal) {
    this.#request = request
    this.#options = options
    this.file = quiet(this.#file.promise)
    this.end = quiet(this.#end.promise)
    this.#parser = createFormParser(request.headers, options, this)
    this.#listen(signal)
    request.pipe(this.#parser)
  }

  /** Aborts with the failure. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the reception with a failure, unless it has ended. */
  fail(error: unknown): void {
    if (this.#stop(error)) this.#controller.abort(error)
  }

  /**
   * Ends the reception because the rest is not needed, unless it has ended. The signal does not abort: that would hide
   * the consumer's reason.
   */
  dispose(): void {
    this.#stop(new DOMException('The upload was disposed of', 'AbortError'))
  }

  #stop(error: unknown): boolean {
    if (this.#settled) return false
    this.#settle()
    this.#request.unpipe(this.#parser)
    // Deferred, because this may run inside one of the parser's events.
    process.nextTick(() => this.#parser.destroy())
    drain(this.#request, this.#options.drain)
    this.#file.reject(error)
    this.#end.reject(error)
    return true
  }

  onField(name: string, value: string): void {
    if (!this.#settled) this.#fields.add(name, value)
  }

  onFile(part: FilePart): void {
    if (this.#settled) return
    this.#hasFile = true
    this.#file.resolve({ ...part, fields: this.#fields.take() })
  }

  onEnd(): void {
    if (this.#settled) return
    if (!this.#hasFile) {
      const { fileField } = this.#options
      this.fail(new UploadError('missing_file', `The form has no file in the field ${fileField}`))
      return
    }
    this.#settle()
    this.#end.resolve(this.#fields.take())
  }

  onError(error: UploadError): void {
    this.fail(error.code === 'truncated_form' && this.#received === 0 ? emptyBody() : error)
  }

  #listen(signal: AbortSignal | undefined): void {
    const request = this.#request
    const { maxFileSize, maxFormBytes } = this.#options
    const count = (chunk: Uint8Array): void => {
      this.#received += chunk.byteLength
      // The parser skips unusable parts of any length, so the whole body is limited here.
      if (this.#received > maxFileSize + maxFormBytes) this.fail(formTooLarge(maxFormBytes))
    }
    const close = (): void => {
      if (!request.complete) this.fail(new ClientDisconnectedError())
    }
    const abort = (): void => this.fail(signal?.reason)
    request.on('data', count)
    request.once('close', close)
    signal?.addEventListener('abort', abort, { once: true })
    this.#cleanups.push(
      () => request.off('data', count),
      () => request.off('close', close),
      () => signal?.removeEventListener('abort', abort),
    )
    // `close` reports a broken connection. Without a listener, its error would end the process, also during the drain.
    request.on('error', (error) => {
      if (isBodyLimit(error)) this.fail(bodyTooLarge(error))
    })
  }

  #settle(): void {
    this.#settled = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}

/** Whether the framework ended the body at a limit of its own, as SvelteKit does at `BODY_SIZE_LIMIT`. */
function isBodyLimit(error: Error): boolean {
  return 'status' in error && error.status === 413
}

function bodyTooLarge(cause: Error): UploadError {
  return new UploadError('form_too_large', 'The form is larger than the server allows', { cause })
}

function formTooLarge(maxFormBytes: number): UploadError {
  return new UploadError('form_too_large', `The form around the file is larger than ${maxFormBytes} bytes`)
}

/** A promise whose unobserved rejection is not reported as unhandled. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}

/** The file of a form, when it starts. */
interface FilePart {
  /** Name from the client, without folders. */
  readonly filename: string | undefined
  /** Media type from the client, without parameters. */
  readonly declaredType: string
  /** The content. Read or resume it, else the form stalls. */
  readonly content: Readable
}

/** The events of a form, in the order of the body. */
interface FormHandler {
  onField(name: string, value: string): void
  /** At most once. */
  onFile(part: FilePart): void
  /** The form is complete: its last boundary has arrived and its file was read. */
  onEnd(): void
  /** The form is refused: destroy the parser. More events may come until then. */
  onError(error: UploadError): void
}

const MAX_NAME = 200

/** JSON that a browser sends as a file: `form.append('meta', new Blob([json], { type: 'application/json' }))`. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i

/**
 * A parser for one form; pipe the body into it. Only this file uses busboy.
 * Never destroy a parser inside its own events: it still uses its state.
 * @throws UploadError when the boundary cannot be read
 */
function createFormParser(
  headers: IncomingHttpHeaders,
  options: ResolvedUploadOptions,
  handler: FormHandler,
): Writable {
  const parser = openParser(headers, options)
  const refuse = (code: ConstructorParameters<typeof UploadError>[0], message: string): void =>
    handler.onError(new UploadError(code, message))
  const tooManyFields = (): void => refuse('too_many_fields', `The form has more than ${options.maxFields} fields`)

  /** Ends the JSON part in front of the next part. */
  let endJson: (() => void) | undefined
  let files = 0
  parser.on('file', (name: string | undefined, content, { filename, mimeType }) => {
    endJson?.()
    // An error without a listener would end the process, and a part may fail after its disposal.
    content.on('error', () => {})
    if (name !== options.fileField && JSON_TYPE.test(mimeType)) {
      const text = textOf(content, options.maxFieldSize)
      endJson = () => {
        endJson = undefined
        onField(name, text())
      }
      return
    }
    content.on('limit', () => handler.onError(fileTooLarge(options.maxFileSize)))
    files += 1
    if (files > 1) refuse('too_many_files', 'Send one file')
    else if (name !== options.fileField) {
      refuse('unexpected_file', `The file belongs in the field ${options.fileField}`)
    } else handler.onFile({ filename, declaredType: mimeType, content })
  })
  const onField = (name: string | undefined, value: string | undefined, isTooLong = value === undefined): void => {
    if (isTooLong) return refuse('field_too_large', `A field is longer than ${options.maxFieldSize} bytes`)
    if (name === undefined || name.length > MAX_NAME || /\p{Cc}/u.test(name) || value === undefined) {
      return refuse('malformed_part', 'A field of the form has no usable name, or an unknown character set')
    }
    handler.onField(name, value)
  }
  parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
    endJson?.()
    onField(name, value, valueTruncated)
  })
  parser.on('filesLimit', tooManyFields)
  parser.on('fieldsLimit', tooManyFields)
  parser.on('partsLimit', tooManyFields)
  parser.on('error', (error) => handler.onError(parserError(error)))
  parser.on('finish', () => {
    endJson?.()
    handler.onEnd()
  })
  return parser
}

/** busboy reports most limits when they are reached, not when they are exceeded: hence the extra one. */
function openParser(headers: IncomingHttpHeaders, options: ResolvedUploadOptions): busboy.Busboy {
  try {
    return busboy({
      headers,
      // Browsers write names in UTF-8; the default would garble them.
      defParamCharset: 'utf8',
      limits: {
        // One file, one more to refuse it, and JSON parts.
        files: options.maxFields + 2,
        fileSize: options.maxFileSize + 1,
        fields: options.maxFields,
        fieldSize: options.maxFieldSize + 1,
        // One file, and one part more than allowed.
        parts: options.maxFields + 2,
      },
    })
  } catch {
    throw missingBoundary()
  }
}

/**
 * Reads the text of a part. The returned function is for the time when the part has ended. It returns `undefined` for a part
 * longer than `maxBytes`, whose rest is read and discarded.
 */
function textOf(content: Readable, maxBytes: number): () => string | undefined {
  const chunks: Uint8Array[] = []
  let bytes = 0
  content.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes <= maxBytes) chunks.push(chunk)
  })
  return () => {
    // The part has arrived whole, but its stream emits the last bytes later. Each read emits them now.
    while (content.read() !== null);
    return bytes > maxBytes ? undefined : new TextDecoder().decode(Buffer.concat(chunks))
  }
}

function parserError(cause: unknown): UploadError {
  const cut = cause instanceof Error && cause.message.startsWith('Unexpected end')
  return cut
    ? new UploadError('truncated_form', 'The form ended before its last boundary', { cause })
    : new UploadError('malformed_part', 'The headers of a part cannot be read', { cause })
}

/** Longest boundary (RFC 2046, 5.1.1). The cost of the search grows with its length. */
const MAX_BOUNDARY = 70

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i
const BOUNDARY = /;\s*boundary=(?:"(?<quoted>[^"]*)"|(?<token>[^;\s]*))/i

/** The parts of a request that the checks read. */
type RequestHead = Pick<UploadRequest, 'headers' | 'method'>

/**
 * Refuses an upload by its headers alone, before its body is read. `HEAD` counts as a request without a body.
 * @throws UploadError
 */
export function checkHeaders({ headers, method }: RequestHead, options: ResolvedUploadOptions): void {
  if (method === 'HEAD') throw emptyBody()
  const type = headers['content-type']
  if (type === undefined && !hasBody(headers)) throw emptyBody()
  if (type === undefined || !MULTIPART.test(type)) {
    throw new UploadError('not_multipart', 'Send the file as multipart/form-data')
  }
  const boundary = BOUNDARY.exec(type)?.groups
  const length = (boundary?.['quoted'] ?? boundary?.['token'] ?? '').length
  if (length === 0 || length > MAX_BOUNDARY) throw missingBoundary()
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new UploadError('unsupported_encoding', 'Send the form without a content-encoding')
  }
  if (!hasBody(headers)) throw emptyBody()
  if (Number(headers['content-length'] ?? 0) > options.maxFileSize + options.maxFormBytes) {
    throw fileTooLarge(options.maxFileSize)
  }
}

/** Makes the error of a request whose body was read by a parser in front. */
export function alreadyRead(): UploadError {
  return new UploadError('body_already_read', 'The body was read before this middleware: move body parsers behind it')
}

/** Makes the error of a request without a body. */
function emptyBody(): UploadError {
  return new UploadError('empty_body', 'The request has no body')
}

/** Makes the error of a form whose `content-type` has no usable boundary. */
function missingBoundary(): UploadError {
  return new UploadError('missing_boundary', `The content-type needs a boundary of 1 to ${MAX_BOUNDARY} characters`)
}

/**
 * Makes the error of a file beyond the limit.
 * @param maxFileSize The limit, in bytes.
 */
function fileTooLarge(maxFileSize: number): UploadError {
  return new UploadError('file_too_large', `The file is larger than ${maxFileSize} bytes`)
}

/** HTTP/1.1 announces every body; HTTP/2 need not. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  return headers['transfer-encoding'] !== undefined || ':method' in headers
}
