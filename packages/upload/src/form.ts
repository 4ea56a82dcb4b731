import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import busboy from 'busboy'
import { drain, hasBody, type UploadRequest } from './connection.ts'
import { ClientDisconnectedError, UploadError, type UploadErrorCode } from './errors.ts'
import { FormFields, type UploadFields } from './fields.ts'
import type { ResolvedUploadOptions } from './options.ts'

/** The file of a form, when it starts. */
export interface FilePart {
  /** Name from the client, without folders. */
  readonly filename: string | undefined
  /** Media type from the client, without parameters. */
  readonly declaredType: string
  /** The content. Read or resume it, else the form stalls. */
  readonly content: Readable
  /** The text fields before it. */
  readonly fields: UploadFields
}

/**
 * Opens the form of a request. When it refuses the request, the body is read and discarded.
 * @throws UploadError when the headers alone refuse it
 * @throws ClientDisconnectedError when the client disconnected
 * @throws the reason of `signal` when that aborted
 */
export function openForm(request: UploadRequest, options: ResolvedUploadOptions, signal?: AbortSignal): Form {
  try {
    signal?.throwIfAborted()
    checkHeaders(request, options)
    if (request.readableEnded || (request.readableDidRead && !request.destroyed)) {
      return new Form(bodyInMemory(request), options, signal)
    }
    if (request.destroyed) throw new ClientDisconnectedError()
    return new Form(request, options, signal)
  } catch (error) {
    request.on('error', () => {})
    drain(request, options.drain)
    throw error
  }
}

/**
 * One arriving form. It ends once: complete, or with a failure. After a failure, the rest of the body is read and
 * discarded within the limits of `drain`.
 */
export class Form {
  /** The file part begins. Rejects with the failure. */
  readonly file: Promise<FilePart>
  /** The form is complete; resolves with the fields after the file. Rejects with the failure. */
  readonly end: Promise<UploadFields>
  readonly #request: UploadRequest
  readonly #options: ResolvedUploadOptions
  readonly #parser: busboy.Busboy
  readonly #fields = new FormFields()
  readonly #file = Promise.withResolvers<FilePart>()
  readonly #end = Promise.withResolvers<UploadFields>()
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[] = []
  #received = 0
  #files = 0
  #settled = false
  /** Ends the JSON part in front of the next part. */
  #endJson: (() => void) | undefined

  /** @throws UploadError when the boundary cannot be read */
  constructor(request: UploadRequest, options: ResolvedUploadOptions, signal: AbortSignal | undefined) {
    this.#request = request
    this.#options = options
    this.file = quiet(this.#file.promise)
    this.end = quiet(this.#end.promise)
    this.#parser = openParser(request.headers, options)
    this.#parse()
    this.#listen(signal)
    request.pipe(this.#parser)
  }

  /** Aborts with the failure. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the form with a failure, unless it has ended. */
  fail(error: unknown): void {
    if (this.#stop(error)) this.#controller.abort(error)
  }

  /**
   * Ends the form because the rest is not needed, unless it has ended. The signal does not abort: that would hide the
   * consumer's reason.
   */
  dispose(): void {
    this.#stop(new DOMException('The upload was disposed of', 'AbortError'))
  }

  #stop(error: unknown): boolean {
    if (this.#settled) return false
    this.#settle()
    this.#request.unpipe(this.#parser)
    // Deferred, because this may run inside one of the parser's events: it still uses its state.
    process.nextTick(() => this.#parser.destroy())
    drain(this.#request, this.#options.drain)
    this.#file.reject(error)
    this.#end.reject(error)
    return true
  }

  #settle(): void {
    this.#settled = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }

  #listen(signal: AbortSignal | undefined): void {
    const request = this.#request
    const { maxFileSize, maxFormBytes } = this.#options
    const count = (chunk: Uint8Array): void => {
      this.#received += chunk.byteLength
      // The parser skips unusable parts of any length, so the whole body is limited here.
      if (this.#received <= maxFileSize + maxFormBytes) return
      this.#refuse('form_too_large', `The form around the file is larger than ${maxFormBytes} bytes`)
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
    request.on('error', (cause) => {
      if (isBodyLimit(cause)) this.#refuse('form_too_large', 'The form is larger than the server allows', cause)
    })
  }

  #parse(): void {
    const parser = this.#parser
    const tooManyFields = (): void =>
      this.#refuse('too_many_fields', `The form has more than ${this.#options.maxFields} fields`)
    parser.on('file', (name: string | undefined, content, { filename, mimeType }) => {
      this.#endJson?.()
      // An error without a listener would end the process, and a part may fail after its disposal.
      content.on('error', () => {})
      if (name !== this.#options.fileField && JSON_TYPE.test(mimeType)) this.#startJson(name, content)
      else this.#startFile(name, { filename, declaredType: mimeType, content })
    })
    parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
      this.#endJson?.()
      this.#addField(name, value, valueTruncated)
    })
    parser.on('filesLimit', tooManyFields)
    parser.on('fieldsLimit', tooManyFields)
    parser.on('partsLimit', tooManyFields)
    parser.on('error', (error) => this.fail(this.#received === 0 ? emptyBody() : parserError(error)))
    parser.on('finish', () => {
      this.#endJson?.()
      this.#finish()
    })
  }

  #startJson(name: string | undefined, content: Readable): void {
    const text = textOf(content, this.#options.maxFieldSize)
    this.#endJson = () => {
      this.#endJson = undefined
      const value = text()
      this.#addField(name, value, value === undefined)
    }
  }

  #startFile(name: string | undefined, part: Omit<FilePart, 'fields'>): void {
    const { fileField, maxFileSize } = this.#options
    part.content.on('limit', () => this.fail(fileTooLarge(maxFileSize)))
    this.#files += 1
    if (this.#files > 1) this.#refuse('too_many_files', 'Send one file')
    else if (name !== fileField) this.#refuse('unexpected_file', `The file belongs in the field ${fileField}`)
    else if (!this.#settled) this.#file.resolve({ ...part, fields: this.#fields.take() })
  }

  #addField(name: string | undefined, value: string | undefined, isTooLong: boolean): void {
    if (isTooLong) {
      this.#refuse('field_too_large', `A field is longer than ${this.#options.maxFieldSize} bytes`)
    } else if (name === undefined || name.length > MAX_NAME || /\p{Cc}/u.test(name) || value === undefined) {
      this.#refuse('malformed_part', 'A field of the form has no usable name, or an unknown character set')
    } else if (!this.#settled) this.#fields.add(name, value)
  }

  /** The last boundary has arrived, and the file was read. */
  #finish(): void {
    if (this.#settled) return
    if (this.#files === 0) {
      this.fail(missingFile(this.#options.fileField))
      return
    }
    this.#settle()
    this.#end.resolve(this.#fields.take())
  }

  #refuse(code: UploadErrorCode, message: string, cause?: unknown): void {
    this.fail(new UploadError(code, message, cause === undefined ? {} : { cause }))
  }
}

/** Longest name of a field, in characters. */
const MAX_NAME = 200

/** JSON that a browser sends as a file: `form.append('meta', new Blob([json], { type: 'application/json' }))`. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i

/** Whether the framework ended the body at a limit of its own: SvelteKit at `BODY_SIZE_LIMIT`, Hono before 4.10 at `bodyLimit()`. */
function isBodyLimit(error: Error): boolean {
  return ('status' in error && error.status === 413) || error.name === 'BodyLimitError'
}

/** A promise whose unobserved rejection is not reported as unhandled. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
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
function checkHeaders({ headers, method }: RequestHead, options: ResolvedUploadOptions): void {
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

/**
 * A body whose bytes the host has read: `rawBody` of Cloud Functions, which no app can prevent.
 * @throws UploadError `body_already_read` without the bytes
 */
function bodyInMemory(request: UploadRequest): UploadRequest {
  const { headers, method } = request
  const bytes: unknown = Reflect.get(request, 'rawBody')
  if (!(bytes instanceof Uint8Array)) throw alreadyRead()
  const body = Readable.from([bytes], { objectMode: false })
  return Object.assign(body, { headers, complete: true, ...(method === undefined ? {} : { method }) })
}

/** Makes the error of a request whose body was read by a parser in front. */
export function alreadyRead(): UploadError {
  return new UploadError('body_already_read', 'The body was read before this middleware: move body parsers behind it')
}

function emptyBody(): UploadError {
  return new UploadError('empty_body', 'The request has no body')
}

function missingBoundary(): UploadError {
  return new UploadError('missing_boundary', `The content-type needs a boundary of 1 to ${MAX_BOUNDARY} characters`)
}

function fileTooLarge(maxFileSize: number): UploadError {
  return new UploadError('file_too_large', `The file is larger than ${maxFileSize} bytes`)
}

/** Makes the error of a form without a file. */
export function missingFile(fileField: string): UploadError {
  return new UploadError('missing_file', `The form has no file in the field ${fileField}`)
}
