import { ConfigurationError } from '@svc-audio/core'
import { describeFault, findOptionFault, type OptionRules } from '#options'
import { fields, flag, integer, milliseconds, optional, text } from './option-rules.ts'

export type { OptionRule, OptionRules } from '#options'

/** How the rest of a refused upload is read. The client can then see the response before the connection closes. */
export interface DrainOptions {
  /** Maximum bytes that are read and discarded. @default 16777216 (16 MiB) */
  readonly maxBytes?: number
  /** Longest time for it, in milliseconds. @default 10000 */
  readonly timeout?: number
}

/** Options of `receiveUpload`. */
export interface UploadOptions {
  /** Largest file, in bytes. Exactly this size is accepted. */
  readonly maxFileSize: number | Remedies['bytes']
  /** Name of the form field that holds the file. @default 'file' */
  readonly fileField?: string
  /**
   * Accepted content, by the file's first bytes: MIME types, or `audio/*` for a family. Content without a known signature
   * is accepted if the client declares it as an accepted `audio/*` type: the service judges it. @default DEFAULT_ACCEPT
   */
  readonly accept?: readonly string[] | Remedies['list']
  /** Accepts content without a known signature under any declared type, such as raw PCM. @default false */
  readonly allowRaw?: boolean
  /** Limits of the form around the file. Their defaults fit most forms. */
  readonly limits?: UploadLimits
  /** Aborts the upload, which then fails with the signal's reason. Pass `disconnectSignal(response)`. */
  readonly signal?: AbortSignal
}

/** Limits of the form around the file. */
export interface UploadLimits {
  /** Maximum text fields. @default 32 */
  readonly maxFields?: number
  /** Longest text field, in bytes. @default 65536 (64 KiB) */
  readonly maxFieldSize?: number
  /** Maximum bytes of the body beside `maxFileSize`: text fields, headers, boundaries. @default 1048576 (1 MiB) */
  readonly maxFormBytes?: number
  /** How the rest of a refused upload is read. */
  readonly drain?: DrainOptions
}

/** {@link UploadOptions} with every default. */
export interface ResolvedUploadOptions
  extends Required<Pick<UploadOptions, 'fileField' | 'allowRaw'>>, Required<Omit<UploadLimits, 'drain'>> {
  readonly maxFileSize: number
  readonly accept: readonly string[]
  readonly drain: Required<DrainOptions>
}

/**
 * Audio, and video as its container: mp4 and webm are `video/*` even with sound only. The last two are Ogg and Windows
 * Media files without a more specific signature.
 */
export const DEFAULT_ACCEPT: readonly string[] = ['audio/*', 'video/*', 'application/ogg', 'application/vnd.ms-asf']

const MIME = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+(?:\s*;.*)?)$/

/** The rules of {@link UploadOptions}, without the signal. */
export const UPLOAD_RULES: OptionRules = {
  maxFileSize: integer(1, 'bytes'),
  fileField: optional(text),
  accept: optional((value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && MIME.test(one))
      ? undefined
      : "must be a non-empty array of MIME types such as ['audio/*']",
  ),
  allowRaw: optional(flag),
  limits: optional(
    fields({
      maxFields: optional(integer(0, 'fields')),
      maxFieldSize: optional(integer(0, 'bytes')),
      maxFormBytes: optional(integer(0, 'bytes')),
      drain: optional(fields({ maxBytes: optional(integer(0, 'bytes')), timeout: optional(milliseconds) })),
    }),
  ),
}

const RECEIVE_RULES: OptionRules = {
  ...UPLOAD_RULES,
  signal: optional((value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal')),
}

/**
 * Checks the options of `receiveUpload`. Call it when a server starts, to find a mistake before the first upload.
 * @throws ConfigurationError naming the option
 */
export function assertUploadOptions(options: UploadOptions): void {
  checkOptions('receiveUpload', options, RECEIVE_RULES)
}

/**
 * Checks the options and adds the defaults.
 * @throws ConfigurationError naming the option
 */
export function resolveOptions(options: UploadOptions): ResolvedUploadOptions {
  assertUploadOptions(options)
  const { limits = {} } = options
  const { drain = {} } = limits
  return {
    maxFileSize: Number(options.maxFileSize),
    fileField: options.fileField ?? 'file',
    accept: typeof options.accept === 'object' ? options.accept : DEFAULT_ACCEPT,
    allowRaw: options.allowRaw ?? false,
    maxFields: limits.maxFields ?? 32,
    maxFieldSize: limits.maxFieldSize ?? 64 * 1024,
    maxFormBytes: limits.maxFormBytes ?? 1024 * 1024,
    drain: { maxBytes: drain.maxBytes ?? 16 * 1024 * 1024, timeout: drain.timeout ?? 10_000 },
  }
}

/**
 * Checks options when a server starts, before its first request.
 *
 * @param caller The function with these options, e.g. `transcribeUpload`. It starts the message.
 * @throws ConfigurationError naming the option, its requirement and its value
 */
export function checkOptions(caller: string, options: unknown, rules: OptionRules): void {
  if (isRequest(options)) {
    throw new ConfigurationError(`${caller} makes a handler: call it with its options, \`${caller}({ … })\``)
  }
  const found = findOptionFault(options, rules, `${caller}()`)
  if (found !== undefined) throw new ConfigurationError(found.message)
}

/** Whether a framework has called the function as a handler: `app.post('/', transcribeUpload)`. */
function isRequest(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'headers' in options && 'method' in options
}

/**
 * An option with a fixed value, or a function of the request, e.g. for a tenant's key or the limits of a plan. The
 * context comes from the framework: a request in Express, an execution context in Nest.
 */
export type PerRequest<Value, Context> = Value | ((context: Context) => Value | Promise<Value>)

/**
 * The value of an option for one request.
 *
 * @param check Checks the result of a function: {@link resultCheck}.
 */
export async function valueFor<Value, Context>(
  option: PerRequest<Value, Context>,
  context: Context,
  check?: (result: unknown) => void,
): Promise<Value> {
  if (!isFunction(option)) return option
  const result = await option(context)
  check?.(result)
  return result
}

/**
 * A check of what a function of the request returns, by the rule of its option.
 * It throws ConfigurationError naming the option.
 */
export function resultCheck(name: string, rules: OptionRules): (result: unknown) => void {
  return (result) => {
    const message = describeFault(name, rules[name], result)
    if (message !== undefined) throw new ConfigurationError(`The result of the function ${message}`)
  }
}

/** The fields that have a value. A function of the request may leave one `undefined`, such as that of an absent input. */
export function definedFields<Fields extends object>(given: Fields | undefined): Defined<Fields> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the filter leaves what the type says
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** Fields without `undefined` as a value. */
export type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** No option has a value that is a function itself. */
function isFunction<Value, Context>(
  option: PerRequest<Value, Context>,
): option is (context: Context) => Value | Promise<Value> {
  return typeof option === 'function'
}

/**
 * Texts in the types of options, so that an editor shows the remedy of a likely mistake:
 * `Type 'number' is not assignable to type '"needs respond: 'pcm' or 'sse'"'`. The check at run time refuses them as values.
 */
export interface Remedies {
  /** For sizes. */
  readonly bytes: 'write a number of bytes: 25_000_000'
  /** For lists of media types. */
  readonly list: "write an array: ['audio/*']"
  /** For options of tasks. */
  readonly task: "needs respond: 'task'"
  /** For options of a transcription as JSON. */
  readonly json: "needs respond: 'json'"
  /** For options of streamed speech. */
  readonly stream: "needs respond: 'pcm' or 'sse'"
  /** For the format of streamed speech. */
  readonly format: "is always pcm with respond: 'pcm' or 'sse': leave it out"
  /** For options that the standard model does not have. */
  readonly model: 'needs the model svc-transcribe-diarize-pro'
}

/** Options that other options exclude, with the remedy as their type. */
export type Excluded<Names extends string, Remedy extends keyof Remedies> = {
  readonly [Name in Names]?: Remedies[Remedy]
}

/**
 * A second parameter that nobody passes. Frameworks pass a request there, so a factory in the place of its handler does not
 * compile, and the message shows this text.
 */
export type Uncalled<Name extends string> = `call ${Name}({ … }), do not pass it`
