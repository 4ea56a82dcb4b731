import { checkOptions, type OptionRules } from './check-options.ts'
import { fields, flag, integer, milliseconds, optional, text } from './option-rules.ts'

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
  readonly maxFileSize: number
  /** Name of the form field that holds the file. @default 'file' */
  readonly fileField?: string
  /**
   * Accepted content, by the file's first bytes: MIME types, or `audio/*` for a family. Content without a known signature
   * is accepted if the client declares it as an accepted `audio/*` type: the service judges it. @default DEFAULT_ACCEPT
   */
  readonly accept?: readonly string[]
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
export type ResolvedUploadOptions = Required<Omit<UploadOptions, 'signal' | 'limits'>> &
  Required<Omit<UploadLimits, 'drain'>> & {
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
    maxFileSize: options.maxFileSize,
    fileField: options.fileField ?? 'file',
    accept: options.accept ?? DEFAULT_ACCEPT,
    allowRaw: options.allowRaw ?? false,
    maxFields: limits.maxFields ?? 32,
    maxFieldSize: limits.maxFieldSize ?? 64 * 1024,
    maxFormBytes: limits.maxFormBytes ?? 1024 * 1024,
    drain: { maxBytes: drain.maxBytes ?? 16 * 1024 * 1024, timeout: drain.timeout ?? 10_000 },
  }
}
