import { ApiError, ConnectionError, SvcAudioError } from '@svc-audio/core'

/**
 * The error of a narration and its remedy, in one line for the terminal. No message of the client contains the key.
 * @param file The source, as the user knows it.
 */
export function formatError(error: unknown, file: string): string {
  const message = error instanceof Error ? error.message : String(error)
  const remedy = remedyFor(error)
  return `${file} cannot be narrated: ${message}${remedy === '' ? '' : ` (${remedy})`}`
}

function remedyFor(error: unknown): string {
  // By name, since the client may come from a second copy of core.
  if (!SvcAudioError.isInstance(error)) return systemRemedy(error)
  if (error.name === ConnectionError.name) return 'check baseUrl or SVC_AUDIO_BASE_URL, and whether the service runs'
  const status: unknown = error.name === ApiError.name ? Reflect.get(error, 'status') : undefined
  if (status === 401 || status === 403) return 'check apiKey or SVC_AUDIO_API_KEY'
  if (status === 402) return 'the account has no credit left: add credit, or use another apiKey'
  if (status === 404) return 'check voice_id, model and baseUrl'
  if (status === 429) return 'try again later, or lower concurrency'
  return ''
}

function systemRemedy(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC' ? 'check cacheDir' : ''
}
