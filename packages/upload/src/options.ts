/** How the rest of a refused upload is read, so that the client gets to see the answer. */
export interface DrainOptions {
  /** Most bytes that are read and thrown away. @default 16777216 (16 MiB) */
  readonly maxBytes?: number
  /** Longest time for it, in milliseconds. @default 10000 */
  readonly timeout?: number
}

/** Options of `receiveUpload`. */
export interface UploadOptions {
  /** Largest file, in bytes; exactly this size is accepted. */
  readonly maxFileSize: number
  /** Name of the form field that holds the file. @default 'file' */
  readonly fileField?: string
  /** Content that is accepted, by what its first bytes say: MIME types, `audio/*` for a family. @default DEFAULT_ACCEPT */
  readonly accept?: readonly string[]
  /** Also accepts content without any known signature, as raw PCM is. Other known content is still refused. @default false */
  readonly allowRaw?: boolean
  /** Most text fields. @default 32 */
  readonly maxFields?: number
  /** Longest text field, in bytes. @default 65536 (64 KiB) */
  readonly maxFieldSize?: number
  /** Most bytes of the body beside `maxFileSize`: text fields, headers, boundaries. @default 1048576 (1 MiB) */
  readonly maxFormBytes?: number
  /** Gives the upload up; it then fails with the signal's reason. Pass `disconnectSignal(response)`. */
  readonly signal?: AbortSignal
  /** How the rest of a refused upload is read. */
  readonly drain?: DrainOptions
}

/** {@link UploadOptions} with every default filled in. */
export type ResolvedUploadOptions = Required<Omit<UploadOptions, 'signal' | 'drain'>> & {
  readonly drain: Required<DrainOptions>
}

/**
 * Audio, and video as a container of it: mp4 and webm come as `video/*` even when they hold sound alone. The last two
 * are Ogg and Windows Media where the first bytes do not tell more.
 */
export const DEFAULT_ACCEPT: readonly string[] = ['audio/*', 'video/*', 'application/ogg', 'application/vnd.ms-asf']

/**
 * Checks the options and fills the defaults in.
 * @throws RangeError naming the option
 */
export function resolveOptions(options: UploadOptions): ResolvedUploadOptions {
  const { drain = {} } = options
  return {
    maxFileSize: count('maxFileSize', options.maxFileSize, 1),
    fileField: options.fileField ?? 'file',
    accept: options.accept ?? DEFAULT_ACCEPT,
    allowRaw: options.allowRaw ?? false,
    maxFields: count('maxFields', options.maxFields ?? 32),
    maxFieldSize: count('maxFieldSize', options.maxFieldSize ?? 64 * 1024),
    maxFormBytes: count('maxFormBytes', options.maxFormBytes ?? 1024 * 1024),
    drain: {
      maxBytes: count('drain.maxBytes', drain.maxBytes ?? 16 * 1024 * 1024),
      timeout: count('drain.timeout', drain.timeout ?? 10_000),
    },
  }
}

/**
 * Checks the options, so that a mistake shows when a server starts and not with its first upload.
 * @throws RangeError naming the option
 */
export function assertUploadOptions(options: UploadOptions): void {
  resolveOptions(options)
}

function count(option: string, value: number, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new RangeError(`${option} must be an integer of at least ${least}`)
}
