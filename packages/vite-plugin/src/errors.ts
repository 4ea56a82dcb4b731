import { ApiError, ConnectionError, SvcAudioError, TimeoutError } from '@svc-audio/core'

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
  if (!SvcAudioError.isInstance(error)) return systemRemedy(error)
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

function systemRemedy(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC' ? 'check cacheDir' : ''
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
