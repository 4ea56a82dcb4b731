import type { Readable } from 'node:stream'
import type { CallOptions, UploadFile } from '@svc-audio/core'
import type { UploadRequest } from './connection.ts'
import { PictureScanner } from './container.ts'
import { checkContent, type DetectedType, HEAD_BYTES, unsupportedContent } from './content-type.ts'
import { toGatewayError, UploadError } from './errors.ts'
import {
  checkFields,
  type FieldsCheck,
  type UploadFields,
  type UploadValues,
  valuesOf,
  withField,
  type WithFields,
} from './fields.ts'
import { FileStream } from './file-stream.ts'
import { type FilePart, type Form, missingFile, openForm } from './form.ts'
import { resolveOptions, type UploadOptions } from './options.ts'
import { Tee, type TeeLimits } from './tee.ts'

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
  return ArrivingUpload.receive(request, options)
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

/** An upload ready to be part of a call. */
export interface StreamedUpload<Values = UploadValues> extends Omit<IncomingUpload, 'stream' | 'dispose'> {
  /** The fields before the file: the result of the `fields` option, else text by name. */
  readonly values: Values
  /** The file for any call that takes one: `file` of a transcription or a stored file, `audio_sample` of a voice. */
  readonly file: UploadFile
  /** Options for that call: signal, deadline and retries. */
  readonly options: CallOptions
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

/** Options of the call that an upload becomes part of. */
export interface UploadCallOptions<Context = unknown, Values = UploadValues> {
  /**
   * Checks the text fields before the call, which is billable, and refuses the upload with 400 `invalid_fields`. It sees the
   * fields before the file: put them first in your form. The result is `upload.values`. @default none
   */
  readonly fields?: FieldsCheck<Values>
  /**
   * Deadline for the upload and the call to the service together, in milliseconds. If the client was too slow, the upload
   * fails with 408, else with 504. @default the client's
   */
  readonly timeout?: number
  /** How often a failed call is retried. An upload in flight cannot be sent twice. @default 0 */
  readonly maxRetries?: number
  /** Sends the file to a second place too. */
  readonly tee?: TeeOptions<Context>
}

/** Data about the upload for a tee's sink, besides its bytes. */
export type TeeUpload = Pick<
  IncomingUpload,
  'filename' | 'declaredType' | 'sniffedType' | 'fields' | 'field' | 'signal'
>

/** Sends the file to a second place too, e.g. a bucket or a disk. */
export interface TeeOptions<Context = unknown> extends TeeLimits {
  /**
   * Reads the copy of the file, and resolves when it is stored. The slower of the sink and the service sets the pace. If
   * the upload fails, the copy is destroyed with the error: a sink never takes a part for the whole.
   *
   * @example
   * sink: (copy, { filename }) => pipeline(copy, createWriteStream(temporaryPath))
   */
  readonly sink: (copy: Readable, upload: TeeUpload, context: Context) => Promise<unknown>
}

/** A check of a file that passed as sound before its tracks were known. It throws `unsupported_content`. */
function pictureCheck(): (chunk: Uint8Array) => void {
  const scanner = new PictureScanner()
  return (chunk) => {
    if (scanner.add(chunk)) throw unsupportedContent()
  }
}

/** An upload while it arrives: its values, its file, and its description at the end. */
export class ArrivingUpload implements IncomingUpload {
  readonly stream: FileStream
  readonly filename: string
  readonly declaredType: string
  readonly sniffedType: string | undefined
  readonly fields: UploadFields
  readonly trailingFields: Promise<UploadFields>
  readonly signal: AbortSignal
  #tee: Tee | undefined
  /** The result of a check of the fields. */
  #checked: unknown

  /** @throws what {@link receiveUpload} throws */
  static async receive(request: UploadRequest, options: UploadOptions): Promise<ArrivingUpload> {
    const resolved = resolveOptions(options)
    const form = openForm(request, resolved, options.signal)
    try {
      const part = await form.file
      const file = new FileStream(part.content, form)
      const head = await file.peek(HEAD_BYTES)
      if (head.byteLength === 0) throw emptyFile(part.filename, resolved.fileField)
      const type = await checkContent(head, part.declaredType, resolved)
      if (type?.noPicture === true) file.watch(pictureCheck())
      return new ArrivingUpload(form, part, file, type, options.signal)
    } catch (error) {
      form.fail(error)
      throw error
    }
  }

  private constructor(
    form: Form,
    { filename, declaredType, fields }: FilePart,
    file: FileStream,
    detected: DetectedType | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.stream = file
    this.filename = cleanFileName(filename) ?? (detected === undefined ? 'audio' : `audio.${detected.ext}`)
    this.declaredType = declaredType
    this.sniffedType = detected?.mime
    this.fields = fields
    this.trailingFields = form.end
    this.signal = signal === undefined ? form.signal : AbortSignal.any([form.signal, signal])
  }

  get bytes(): number {
    return this.stream.bytes
  }

  field(name: string): string | undefined {
    return this.fields[name]?.[0]
  }

  dispose(): void {
    this.stream.dispose()
  }

  /**
   * Makes the upload part of a call: checks its fields, and starts its second way.
   * @param start When the deadline began, as `performance.now()`.
   * @throws UploadError `invalid_fields`
   * @throws what a check throws that is a function
   */
  async forCall<Context, Values>(
    { fields: check, tee, timeout, maxRetries = 0 }: UploadCallOptions<Context, Values>,
    context: Context,
    start: number,
  ): Promise<StreamedUpload<Values>> {
    if (check !== undefined) this.#checked = await checkFields(check, this.fields)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a check changes the type of the values
    const values = (check === undefined ? valuesOf(this.fields) : this.#checked) as Values
    if (tee !== undefined) this.#tee = new Tee(this.stream, tee, async (copy) => tee.sink(copy, this, context))
    const { stream, filename, declaredType, sniffedType, fields, trailingFields } = this
    const bytes = (): number => this.bytes
    const signal = this.#tee === undefined ? this.signal : AbortSignal.any([this.signal, this.#tee.signal])
    const left =
      timeout === undefined ? {} : { timeout: Math.max(1, Math.round(timeout - (performance.now() - start))) }
    return withField({
      filename,
      declaredType,
      sniffedType,
      fields,
      values,
      trailingFields,
      signal,
      get bytes() {
        return bytes()
      },
      // A bare stream tells the client that it can be sent only once.
      file: { data: this.#tee ?? stream, name: filename, type: sniffedType ?? declaredType },
      options: { signal, maxRetries, ...left },
    })
  }

  /**
   * Ends the upload after its call. The rest of it is not needed: a response may come before the upload has ended.
   * @throws UploadError `tee_failed`
   */
  async finish<Values>(): Promise<ReceivedUpload<Values>> {
    await this.#tee?.finish(this.signal)
    this.dispose()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a check changes the type of the values
    return describeUpload(this, this.#checked as Values | undefined, this.#tee?.error)
  }

  /**
   * Ends the upload with a failure of it or of its call.
   * @returns the failure for the caller
   */
  fail(error: unknown, start: number): unknown {
    // The service is not at fault if the deadline was spent mostly on waiting for the client's bytes.
    const isSlow = isTotalTimeout(error) && this.stream.waitedMs >= (performance.now() - start) / 2
    const failure = isSlow ? tooSlow(error) : toGatewayError(error)
    this.#tee?.fail(failure)
    return failure
  }
}

/** Browsers send a nameless, empty file if the user chose none. */
function emptyFile(filename: string | undefined, fileField: string): UploadError {
  return filename === undefined ? missingFile(fileField) : new UploadError('empty_file', 'The file is empty')
}

function isTotalTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError' && Reflect.get(error, 'phase') === 'total'
}

/** Makes the error of a client that was slower than the deadline. */
export function tooSlow(cause: unknown): UploadError {
  return new UploadError('upload_timeout', 'The upload took too long', { cause })
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
