import {
  ApiError,
  ConnectionError,
  InvalidRequestError,
  StreamTruncatedError,
  SvcAudioError,
} from '@svc-audio/core/pure'

/** A failed call, for the page. */
export interface Failure {
  /** One or two sentences: the service's own where it has one. */
  readonly message: string
  /** The service's code, e.g. `invalid_range`. */
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** Whether the connection failed. Such a failure is over when the service is back. */
  readonly lost: boolean
}

/** Codes of the playground's own server. */
const LOST_CODES: ReadonlySet<string | undefined> = new Set(['service_unreachable', 'service_unavailable'])

/** Describes an error of a call. */
export function failureOf(error: unknown): Failure {
  const code = fieldOf(error, 'code')
  const requestId = SvcAudioError.isInstance(error) ? error.requestId : undefined
  return { message: messageOf(error), code, requestId, lost: isLost(error, code) }
}

function isLost(error: unknown, code: string | undefined): boolean {
  return ConnectionError.isInstance(error) || StreamTruncatedError.isInstance(error) || LOST_CODES.has(code)
}

function messageOf(error: unknown): string {
  if (StreamTruncatedError.isInstance(error)) return 'The connection was lost before the answer was complete.'
  if (ConnectionError.isInstance(error)) return 'The connection was lost.'
  const text = error instanceof Error ? error.message : String(error)
  // The client names the call first. The user of the page knows it.
  const own = ApiError.isInstance(error) ? /^\S+ \S+ answered \d+: (.*)$/s.exec(text)?.[1] : undefined
  return sentence(own !== undefined || InvalidRequestError.isInstance(error) ? inWords(own ?? text) : text)
}

/** Fields of requests, as the page names them. */
const LABELS: Readonly<Record<string, string>> = { input: 'text', url: 'address', voice_id: 'voice', file: 'file' }

/** A message about a field, for people who see a form: `url: must be public` is `Address must be public`. */
function inWords(message: string): string {
  const [, field, said] = /^([a-z_]+)(?:\[\d+\]|\.[a-z_]+)*: (\S.*)$/s.exec(message) ?? []
  if (field === undefined || said === undefined) return message
  const words = said.startsWith('must ') ? `${LABELS[field] ?? field.replaceAll('_', ' ')} ${said}` : said
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function fieldOf(error: unknown, name: string): string | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
  return typeof value === 'string' ? value : undefined
}

function sentence(text: string): string {
  return /[.!?…。]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}
