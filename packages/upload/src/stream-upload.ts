import type { CallOptions, UploadFile } from '@svc-audio/core'
import { MAX_FILE_BYTES } from '@svc-audio/core/interface'
import { toGatewayError, UploadError } from './errors.ts'
import { callback, fields, fieldsCheck, integer, milliseconds, oneOf, optional, perRequest } from './option-rules.ts'
import {
  checkOptions,
  type OptionRules,
  type PerRequest,
  resultCheck,
  UPLOAD_RULES,
  type UploadOptions,
  valueFor,
} from './options.ts'
import { checkFields, type FieldsCheck, type UploadFields, type UploadValues, valuesOf, withField } from './fields.ts'
import { describeUpload, type IncomingUpload, type MeasuredUpload, openUpload, type ReceivedUpload } from './upload.ts'
import { Tee, type TeeOptions } from './tee.ts'
import type { UploadRequest } from './connection.ts'

/** Options of {@link streamUpload}. Those of the upload itself are {@link UploadOptions}. */
export interface StreamUploadOptions<Context = unknown, Values = UploadValues> extends Omit<
  UploadOptions,
  'maxFileSize' | 'accept' | 'signal'
> {
  /** Largest file, in bytes. Exactly this size is accepted. @default 536870912 (512 MiB, the interface's limit) */
  readonly maxFileSize?: PerRequest<number, Context>
  /** Accepted content types, as `accept` of `receiveUpload()`. @default DEFAULT_ACCEPT */
  readonly accept?: PerRequest<readonly string[], Context> | undefined
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

/** Context of one request. */
export interface StreamUploadContext<Context = unknown> {
  /** Aborts upload and call, which then fail with the signal's reason. Pass `disconnectSignal(response)`. */
  readonly signal: AbortSignal
  /** Argument of options that are functions: the framework's request. */
  readonly context: Context
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

/** The outcome of {@link streamUpload}. */
export interface StreamUploadOutcome<Result, Values = UploadValues> {
  /** What `work` resolved with. */
  readonly result: Result
  /** Name, type, size and fields of the upload. */
  readonly upload: ReceivedUpload<Values>
}

/** The rules of {@link StreamUploadOptions}, for the options of functions built on it. */
export const STREAM_UPLOAD_RULES: OptionRules = {
  ...UPLOAD_RULES,
  maxFileSize: optional(perRequest(integer(1, 'bytes'))),
  accept: perRequest(UPLOAD_RULES['accept'] ?? (() => undefined)),
  fields: optional(fieldsCheck),
  timeout: optional(milliseconds),
  maxRetries: optional(integer(0, 'retries')),
  tee: optional(
    fields({ sink: callback, onError: optional(oneOf(['fail', 'ignore'])), stallTimeout: optional(milliseconds) }),
  ),
}

/**
 * Checks options when they are given.
 * @throws ConfigurationError naming the option
 */
export function assertStreamUploadOptions(
  options: Omit<StreamUploadOptions<never>, 'fields'> & { readonly fields?: unknown },
): void {
  checkOptions('streamUpload', options, STREAM_UPLOAD_RULES)
}

/**
 * Streams the one file of a multipart form into a call of the client. The call starts when the file has begun, and gets
 * its bytes while they arrive: nothing is stored in memory or on disk. The service never sees a refused or interrupted
 * upload as complete.
 *
 * @param work Makes the call with `upload.file` and `upload.options`, and resolves with its result. When it settles, the
 *   rest of the upload is discarded.
 * @throws UploadError when the upload is refused, or too slow for `timeout`
 * @throws ClientDisconnectedError when the client disconnected
 * @throws AudioGatewayError when the call to the service failed
 * @throws what `work` and the options that are functions throw
 *
 * @example
 * const { result } = await streamUpload(request, { maxFileSize: 20_000_000 }, { signal, context: request }, (upload) =>
 *   client.voices.create({ audio_sample: upload.file }, upload.options),
 * )
 */
export async function streamUpload<Result, Context, Values = UploadValues>(
  request: UploadRequest,
  options: StreamUploadOptions<Context, Values>,
  { signal, context }: StreamUploadContext<Context>,
  work: (upload: StreamedUpload<Values>, context: Context) => Promise<Result>,
): Promise<StreamUploadOutcome<Result, Values>> {
  const start = performance.now()
  let upload: MeasuredUpload | undefined
  let tee: Tee | undefined
  try {
    upload = await openInTime(request, options, signal, context)
    const values = await checkedValues(options.fields, upload.fields)
    tee = startTee(upload, options.tee, context)
    const result = await work(streamed(upload, values, tee, options, start), context)
    await tee?.finish(upload.signal)
    // A response may come before the upload has ended. The rest is not needed, and its fields will not arrive.
    upload.dispose()
    return { result, upload: await describeUpload(upload, options.fields && values, tee?.error) }
  } catch (error) {
    const failure = slowUpload(error, upload, performance.now() - start) ?? toGatewayError(error)
    tee?.fail(failure)
    throw failure
  } finally {
    upload?.dispose()
  }
}

/** Without a check, the values are text by name: the default of the type. */
async function checkedValues<Values>(check: FieldsCheck<Values> | undefined, given: UploadFields): Promise<Values> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a check changes the type of the values
  return check === undefined ? (valuesOf(given) as Values) : checkFields(check, given)
}

/** Opens the upload. The deadline starts with the first byte of the form. */
async function openInTime<Context, Values>(
  request: UploadRequest,
  options: StreamUploadOptions<Context, Values>,
  signal: AbortSignal,
  context: Context,
): Promise<MeasuredUpload> {
  const { maxFileSize, accept, timeout, maxRetries: _, tee: _tee, fields: _fields, ...rest } = options
  const deadline = new AbortController()
  const timer = timeout === undefined ? undefined : setTimeout(() => deadline.abort(tooSlow(undefined)), timeout)
  try {
    const limits = {
      maxFileSize:
        (await valueFor(maxFileSize, context, resultCheck('maxFileSize', STREAM_UPLOAD_RULES))) ?? MAX_FILE_BYTES,
      ...definedAccept(await valueFor(accept, context, resultCheck('accept', STREAM_UPLOAD_RULES))),
    }
    return await openUpload(request, { ...rest, ...limits, signal: AbortSignal.any([signal, deadline.signal]) })
  } finally {
    clearTimeout(timer)
  }
}

function definedAccept(accept: readonly string[] | undefined): Pick<UploadOptions, 'accept'> {
  return accept === undefined ? {} : { accept }
}

function startTee<Context>(
  upload: MeasuredUpload,
  options: TeeOptions<Context> | undefined,
  context: Context,
): Tee | undefined {
  return options && new Tee(upload.stream, options, async (copy) => options.sink(copy, upload, context))
}

function streamed<Values>(
  upload: MeasuredUpload,
  values: Values,
  tee: Tee | undefined,
  { timeout, maxRetries = 0 }: Pick<StreamUploadOptions<never>, 'timeout' | 'maxRetries'>,
  start: number,
): StreamedUpload<Values> {
  const { stream, filename, declaredType, sniffedType, fields: before, trailingFields } = upload
  const signal = tee === undefined ? upload.signal : AbortSignal.any([upload.signal, tee.signal])
  const left = timeout === undefined ? {} : { timeout: Math.max(1, Math.round(timeout - (performance.now() - start))) }
  return withField({
    filename,
    declaredType,
    sniffedType,
    fields: before,
    values,
    trailingFields,
    signal,
    get bytes() {
      return upload.bytes
    },
    // A bare stream tells the client that it can be sent only once.
    file: { data: tee ?? stream, name: filename, type: sniffedType ?? declaredType },
    options: { signal, maxRetries, ...left },
  })
}

/** The error of a deadline spent mostly on waiting for the client's bytes: the service is not at fault. */
function slowUpload(error: unknown, upload: MeasuredUpload | undefined, elapsed: number): UploadError | undefined {
  if (!isTotalTimeout(error) || upload === undefined || upload.stream.waitedMs < elapsed / 2) return undefined
  return tooSlow(error)
}

function isTotalTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError' && Reflect.get(error, 'phase') === 'total'
}

function tooSlow(cause: unknown): UploadError {
  return new UploadError('upload_timeout', 'The upload took too long', { cause })
}
