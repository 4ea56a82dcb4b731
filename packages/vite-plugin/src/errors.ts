import { ApiError, ConfigurationError, ConnectionError, SvcAudioError, TimeoutError } from '@svc-audio/core'

/** Exit codes of a command whose build a narration has failed. Other failures keep the code of the command. */
export const EXIT_CODES = {
  /** The build would make calls that `maxCharacters` or `mode` does not allow. */
  cost: 3,
  /** The service failed, refused the key, or did not answer. */
  service: 4,
  /** A text, its front matter, its import or its recording cannot be narrated. */
  text: 5,
} as const

/** The exit code for an error; `undefined` for one that is not about a narration. */
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof CostRefusedError || error instanceof MissingNarrationError) return EXIT_CODES.cost
  if (error instanceof InvalidNarrationError || error instanceof UnjoinableError) return EXIT_CODES.text
  if (error instanceof LocalServiceError || error instanceof CutAudioError) return EXIT_CODES.service
  if (error instanceof UnreadableAudioError) return EXIT_CODES.service
  if (SvcAudioError.isInstance(error)) return error.name === ConfigurationError.name ? undefined : EXIT_CODES.service
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'EISDIR' ? EXIT_CODES.text : undefined
}

let failed: number | undefined

/**
 * Notes which exit code the process has if it fails from now on.
 * @param code `undefined` leaves the code of the command.
 */
export function noteExitCode(code: number | undefined): void {
  if (!process.listeners('exit').includes(setExitCode)) process.on('exit', setExitCode)
  failed = code
}

function setExitCode(code: number): void {
  // The commands of Vite and of frameworks end with 1 after each failed build. Any other code is not about the build.
  if (code === 1 && failed !== undefined) process.exitCode = failed
}

/**
 * The error of a narration and its remedy, in one line for the terminal. No message of the client contains the key.
 * @param file The source, as the user knows it.
 */
export function formatError(error: unknown, file: string): string {
  const message = error instanceof Error ? error.message : String(error)
  const remedy = remedyFor(error)
  return `${file} cannot be narrated: ${message}${remedy === '' ? '' : ` (${remedy})`}`
}

/** The remedy of a service that fails or stops answering. */
const AGAIN = 'repeating the call did not help: build again, the cache has what is finished'

function remedyFor(error: unknown): string {
  // By name, since the client may come from a second copy of core.
  if (!SvcAudioError.isInstance(error)) return ''
  if (error.name === ConnectionError.name && Reflect.get(error, 'maybeSent') !== true) {
    return 'check baseUrl or SVC_AUDIO_BASE_URL, and whether the service runs'
  }
  if (error.name === TimeoutError.name) return `${AGAIN}, or raise timeout`
  if (error.name === ConnectionError.name) return AGAIN
  const status: unknown = error.name === ApiError.name ? Reflect.get(error, 'status') : undefined
  if (status === 401 || status === 403) return 'check apiKey or SVC_AUDIO_API_KEY'
  if (status === 402) return 'the account has no credit left: add credit, or use another apiKey'
  if (status === 404) return 'check voice_id, model and baseUrl'
  if (status === 429) return 'try again later, or lower concurrency'
  if (typeof status === 'number' && status >= 500) return AGAIN
  return ''
}

/** The code of an error of the file system. */
function systemCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** The folder of the cache cannot be written. */
export class CacheFolderError extends Error {
  override readonly name = 'CacheFolderError' as const

  constructor(folder: string, cause: unknown) {
    const code = String(systemCode(cause))
    const why = code === 'ENOSPC' ? 'the disk is full' : `the folder is read-only (${code})`
    const remedy = code === 'ENOSPC' ? 'Free some space' : 'Make it writable'
    super(
      `The cache ${folder} cannot be written: ${why}. ${remedy}, or set cacheDir to another folder. ` +
        'A build whose audio is complete in the cache writes nothing',
      { cause },
    )
  }
}

/** Runs what writes into the cache. @throws CacheFolderError if the folder cannot be written */
export async function writingTo<Result>(folder: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const code = SvcAudioError.isInstance(error) ? undefined : systemCode(error)
    const isFolder = code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC'
    throw isFolder ? new CacheFolderError(folder, error) : error
  }
}

/** The build would send more than its options allow. */
export class CostRefusedError extends Error {
  override readonly name = 'CostRefusedError' as const
}

/** The service of this machine did not start. */
export class LocalServiceError extends Error {
  override readonly name = 'LocalServiceError' as const

  /** @param service Name and version. */
  constructor(service: string, why: string) {
    super(`service: 'local' could not start ${service}: ${why}`)
  }
}

/** An import asks for something that cannot be narrated. The message says what would be right. */
export class InvalidNarrationError extends Error {
  override readonly name = 'InvalidNarrationError' as const
}

/** The audio of a page's segments does not fit together. The message says why and what to set. */
export class UnjoinableError extends Error {
  override readonly name = 'UnjoinableError' as const

  constructor(format: string, reason: string) {
    super(
      `The ${format} audio of two segments cannot be joined: ${reason}. Set segmentBy: 'page' or another response_format`,
    )
  }
}

/** The service's WAV is shorter than its own header says: the response was cut on its way. It is not cached. */
export class CutAudioError extends Error {
  override readonly name = 'CutAudioError' as const

  constructor(missingBytes: number) {
    super(
      `The service answered with a WAV file that lacks ${missingBytes} bytes of the audio in its header: build again. ` +
        'If it happens again, look for a proxy before the service that cuts answers',
    )
  }
}

/** The cache lacks audio, and the mode allows no call. */
export class MissingNarrationError extends Error {
  override readonly name = 'MissingNarrationError' as const

  /** @param text The missing segment. */
  constructor(source: string, text: string) {
    const start = text.length > 60 ? `${text.slice(0, 57)}…` : text
    super(
      `The cache has no audio of “${start}”. Build once with mode: 'auto' and a key, and commit cacheDir (source: ${source})`,
    )
  }
}

/** The service's response is not audio of the requested format, or has no readable length. */
export class UnreadableAudioError extends Error {
  override readonly name = 'UnreadableAudioError' as const

  constructor(format: string, contentType: string) {
    super(`The service answered with ${contentType} that cannot be read as ${format}: try another response_format`)
  }
}
