import type { Readable } from 'node:stream'
import { drain, type UploadRequest } from './connection.ts'
import { checkContent, HEAD_BYTES } from './content-type.ts'
import { ClientDisconnectedError, UploadError } from './errors.ts'
import { type UploadFields, type UploadValues, valuesOf, withField, type WithFields } from './fields.ts'
import { alreadyRead, checkHeaders, FormReception } from './form.ts'
import { type ResolvedUploadOptions, resolveOptions, type UploadOptions } from './options.ts'

/** An upload as its stream sees it: {@link IncomingUpload} with the data for a deadline. */
export interface MeasuredUpload extends IncomingUpload {
  readonly stream: FileStream
}

/**
 * Receives a form with one file. Resolves when the file has begun and its first bytes have passed the check of its type.
 * From then on its bytes flow through `stream`, without a temporary file and without a buffer. When it rejects, the rest
 * of the body is read and discarded: answer the request.
 *
 * @throws UploadError when the upload is refused
 * @throws ClientDisconnectedError when the client disconnected
 * @throws ConfigurationError when an option is wrong
 * @throws the reason of `signal` when that aborted
 */
export async function receiveUpload(request: UploadRequest, options: UploadOptions): Promise<IncomingUpload> {
  return openUpload(request, options)
}

/** {@link receiveUpload}, with the stream's own class. */
export async function openUpload(request: UploadRequest, options: UploadOptions): Promise<MeasuredUpload> {
  const resolved = resolveOptions(options)
  const reception = open(request, resolved, options.signal)
  try {
    const { content, fields, ...part } = await reception.file
    const file = new FileStream(content, reception)
    const head = await file.peek(HEAD_BYTES)
    if (head.byteLength === 0) throw emptyFile(part.filename, resolved.fileField)
    const detected = await checkContent(head, part.declaredType, resolved)
    return withField({
      stream: file,
      filename: cleanFileName(part.filename) ?? (detected === undefined ? 'audio' : `audio.${detected.ext}`),
      declaredType: part.declaredType,
      sniffedType: detected?.mime,
      get bytes() {
        return file.bytes
      },
      fields,
      trailingFields: reception.end,
      signal: options.signal === undefined ? reception.signal : AbortSignal.any([reception.signal, options.signal]),
      dispose: () => file.dispose(),
    })
  } catch (error) {
    reception.fail(error)
    throw error
  }
}

function open(request: UploadRequest, options: ResolvedUploadOptions, signal: AbortSignal | undefined): FormReception {
  try {
    signal?.throwIfAborted()
    checkHeaders(request, options)
    if (request.readableEnded || (request.readableDidRead && !request.destroyed)) throw alreadyRead()
    if (request.destroyed) throw new ClientDisconnectedError()
    return new FormReception(request, options, signal)
  } catch (error) {
    request.on('error', () => {})
    drain(request, options.drain)
    throw error
  }
}

/** Browsers send a nameless, empty file if the user chose none. */
function emptyFile(filename: string | undefined, fileField: string): UploadError {
  return filename === undefined
    ? new UploadError('missing_file', `The form has no file in the field ${fileField}`)
    : new UploadError('empty_file', 'The file is empty')
}

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

/** An upload after its call. */
export interface ReceivedUpload<Values = UploadValues> extends WithFields {
  /** The client's name for the file, cleaned. */
  readonly filename: string
  /** The media type that the client declared. Do not trust it. */
  readonly declaredType: string
  /** The type by the first bytes, e.g. `audio/wav`; `undefined` for content without a known signature. */
  readonly sniffedType: string | undefined
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** Every text field of the form. */
  readonly fields: UploadFields
  /** The result of the `fields` option; without it every text field: text, or a list if the field is repeated. */
  readonly values: Values
  /** The error of the `tee` sink, if it failed and `onError` is `ignore`. */
  readonly teeError?: unknown
}

/**
 * Describes an ended upload. Includes fields after the file only if the whole form was read.
 * @param checked The checked values, if there was a check.
 */
export async function describeUpload<Values>(
  upload: IncomingUpload,
  checked: Values | undefined,
  teeError?: unknown,
): Promise<ReceivedUpload<Values>> {
  const { filename, declaredType, sniffedType, bytes } = upload
  const trailing = await upload.trailingFields.catch((): UploadFields => ({}))
  const fields = mergeFields(upload.fields, trailing)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a check changes the type of the values
  const values = checked ?? (valuesOf(fields) as Values)
  const described = { filename, declaredType, sniffedType, bytes, fields, values }
  return withField(teeError === undefined ? described : { ...described, teeError })
}

function mergeFields(...all: readonly UploadFields[]): UploadFields {
  // No prototype, as in the fields themselves: any name is ordinary.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  const merged = Object.create(null) as Record<string, readonly string[]>
  for (const fields of all) {
    for (const [name, values] of Object.entries(fields)) merged[name] = [...(merged[name] ?? []), ...values]
  }
  return merged
}

/** Longest forwarded file name, in characters: the limit of common file systems. */
const MAX_LENGTH = 255

/**
 * A file name that is safe to log, show and forward: its last path part, well-formed, without control characters, line
 * separators and direction marks. It is still the client's text and names no file on this machine.
 * @returns `undefined` for an empty result.
 */
export function cleanFileName(name: string | undefined): string | undefined {
  const cleaned = name
    ?.toWellFormed()
    // Browsers write a quotation mark so (HTML, multipart/form-data encoding algorithm).
    .replaceAll('%22', '"')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim()
  if (cleaned === undefined || cleaned === '' || cleaned === '.' || cleaned === '..') return undefined
  // A long name loses its front and keeps its extension.
  return cleaned.slice(-MAX_LENGTH).toWellFormed()
}

/** The bytes of a file part: first the inspected ones, then the rest as it arrives. It can be read once. */
export class FileStream implements AsyncIterable<Uint8Array> {
  readonly #reception: FormReception
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #head: Uint8Array[] = []
  #taken = false
  #ended = false
  #bytes = 0
  #waited = 0
  #waitingSince: number | undefined

  constructor(content: Readable, reception: FormReception) {
    this.#reception = reception
    // The part's iterator is never returned: `return()` would destroy the part and hang the parser. The reception ends
    // both in the right order.
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Bytes that the iteration has yielded so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether every byte of the file has been read. The form may still continue. */
  get ended(): boolean {
    return this.#ended
  }

  /** Milliseconds spent waiting for bytes of the client. In the remaining time the reader was busy. */
  get waitedMs(): number {
    return this.#waited + (this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince)
  }

  /**
   * The first bytes of the file, at least `size` unless it is shorter. They stay part of the iteration.
   * @throws the reception's failure
   */
  async peek(size: number): Promise<Uint8Array> {
    for (let bytes = 0; bytes < size;) {
      const { done, value } = await this.#next()
      if (done === true) break
      this.#head.push(value)
      bytes += value.byteLength
    }
    return Buffer.concat(this.#head).subarray(0, size)
  }

  /** @throws TypeError when it is read a second time */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#taken) throw new TypeError('This upload was already read: a connection can be read once')
    this.#taken = true
    return this.#read()
  }

  /** Discards the rest of the upload. */
  dispose(): void {
    this.#taken = true
    this.#reception.dispose()
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = this.#head.shift(); chunk !== undefined; chunk = this.#head.shift()) {
        this.#bytes += chunk.byteLength
        yield chunk
      }
      for (;;) {
        const { done, value } = await this.#next()
        if (done === true) break
        this.#bytes += value.byteLength
        yield value
      }
      // The form may still fail after the file, e.g. because of a second file. Only a whole form ends the iteration.
      await this.#measure(this.#reception.end)
    } finally {
      // No effect after the end. Otherwise the reader has stopped, or the reception has already failed.
      this.dispose()
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      const next = await this.#measure(this.#chunks.next())
      if (next.done === true) this.#ended = true
      return next
    } catch (error) {
      // The part only reports its destruction. The reception knows the reason, sometimes a moment later.
      await this.#reception.end
      throw error
    }
  }

  /** Adds the time of a wait to {@link FileStream.waitedMs}. */
  async #measure<Value>(wait: Promise<Value>): Promise<Value> {
    const start = performance.now()
    this.#waitingSince = start
    try {
      return await wait
    } finally {
      this.#waited += performance.now() - start
      this.#waitingSince = undefined
    }
  }
}
