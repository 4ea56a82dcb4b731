import { ConnectionError, TimeoutError, type TimeoutPhase } from '../errors/service-errors.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { CERTIFICATE_CODES } from '../transport/certificate-codes.ts'
import type { TransportRequest } from '../transport/transport.ts'

/**
 * Codes of Node's `fetch` for a connection that was never established, so nothing was sent. Other runtimes have no
 * codes.
 */
const NOT_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Deadlines of Node's `fetch`. */
const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
}

/** The error of a request that got no answer. */
export function failedRequest(error: unknown, { method, url }: TransportRequest): SvcAudioError {
  if (SvcAudioError.isInstance(error)) return error
  // The error of `fetch` has no reason. Some runtimes set it as the cause.
  const cause: unknown = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // Node adds the unparsed data. It can be as long as the answer, and can repeat the request.
  if (cause instanceof Error && cause.name === 'HTTPParserError') Object.assign(cause, { data: undefined })
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  const phase = PHASES[code]
  if (phase !== undefined) return new TimeoutError(phase, `The ${phase} deadline of the runtime passed`, { cause })
  const why = cause instanceof Error ? cause.message || cause.name : String(cause)
  const message = `${method} ${url.split('?', 1).join('')} failed: ${why}${code === '' ? '' : ` (${code})`}`
  return new ConnectionError(message, { cause, maybeSent: !NOT_SENT.has(code) && !CERTIFICATE_CODES.has(code) })
}
