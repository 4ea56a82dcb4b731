import { MAX_FILE_BYTES } from '@svc-audio/core/interface'
import type { UploadRequest } from './connection.ts'
import { toGatewayError } from './errors.ts'
import type { UploadValues } from './fields.ts'
import { callback, fields, fieldsCheck, integer, milliseconds, oneOf, optional, perRequest } from './option-rules.ts'
import {
  checkOptions,
  type OptionRules,
  type PerRequest,
  type Remedies,
  resultCheck,
  UPLOAD_RULES,
  type UploadOptions,
  valueFor,
} from './options.ts'
import { ArrivingUpload, type ReceivedUpload, type StreamedUpload, tooSlow, type UploadCallOptions } from './upload.ts'

/** Options of {@link streamUpload}. Those of the upload itself are {@link UploadOptions}. */
export interface StreamUploadOptions<Context = unknown, Values = UploadValues>
  extends Omit<UploadOptions, 'maxFileSize' | 'accept' | 'signal'>, UploadCallOptions<Context, Values> {
  /** Largest file, in bytes. Exactly this size is accepted. @default 536870912 (512 MiB, the interface's limit) */
  readonly maxFileSize?: PerRequest<number | Remedies['bytes'], Context>
  /** Accepted content types, as `accept` of `receiveUpload()`. @default DEFAULT_ACCEPT */
  readonly accept?: PerRequest<readonly string[] | Remedies['list'], Context> | undefined
}

/** Context of one request. */
export interface StreamUploadContext<Context = unknown> {
  /** Aborts upload and call, which then fail with the signal's reason. Pass `disconnectSignal(response)`. */
  readonly signal: AbortSignal
  /** Argument of options that are functions: the framework's request. */
  readonly context: Context
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
  let upload: ArrivingUpload | undefined
  try {
    upload = await receiveInTime(request, options, signal, context)
    const result = await work(await upload.forCall(options, context, start), context)
    return { result, upload: await upload.finish<Values>() }
  } catch (error) {
    throw upload === undefined ? toGatewayError(error) : upload.fail(error, start)
  } finally {
    upload?.dispose()
  }
}

/** Receives the upload. The deadline starts with the first byte of the form. */
async function receiveInTime<Context, Values>(
  request: UploadRequest,
  options: StreamUploadOptions<Context, Values>,
  signal: AbortSignal,
  context: Context,
): Promise<ArrivingUpload> {
  const { maxFileSize, accept, timeout, maxRetries: _, tee: _tee, fields: _fields, ...rest } = options
  const deadline = new AbortController()
  const timer = timeout === undefined ? undefined : setTimeout(() => deadline.abort(tooSlow(undefined)), timeout)
  try {
    const size = await valueFor(maxFileSize, context, resultCheck('maxFileSize', STREAM_UPLOAD_RULES))
    const accepted = await valueFor(accept, context, resultCheck('accept', STREAM_UPLOAD_RULES))
    return await ArrivingUpload.receive(request, {
      ...rest,
      maxFileSize: typeof size === 'number' ? size : MAX_FILE_BYTES,
      ...(typeof accepted === 'object' ? { accept: accepted } : {}),
      signal: AbortSignal.any([signal, deadline.signal]),
    })
  } finally {
    clearTimeout(timer)
  }
}
