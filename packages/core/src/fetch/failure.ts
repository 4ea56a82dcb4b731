import { ConnectionError, TimeoutError, type TimeoutPhase } from '../errors/service-errors.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { CERTIFICATE_CODES } from '../transport/drain.ts'

/** Codes of Node and Bun for a request that was not sent: no connection, or headers that the runtime refuses. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_INVALID_ARG',
])

/** How Deno names a connection that was never established, and Node a port that `fetch` refuses. They have no codes. */
const UNCONNECTED = /client error \(Connect\)|^bad port$/

/** Deadlines of Node's `fetch`. */
const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
}

/** The error of a request that got no response, without the name of the request: the client adds it. */
export function failedRequest(error: unknown): SvcAudioError {
  if (SvcAudioError.isInstance(error)) return error
  // The error of `fetch` has no reason. Some runtimes set it as the cause.
  const cause: unknown = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // Node adds the unparsed data. It can be as long as the response, and can repeat the request.
  if (cause instanceof Error && cause.name === 'HTTPParserError') Object.assign(cause, { data: undefined })
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  const phase = PHASES[code]
  if (phase !== undefined) return new TimeoutError(phase, `The ${phase} deadline of the runtime passed`, { cause })
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ConnectionError('The headers of the response are too large: start Node with --max-http-header-size', {
      cause,
    })
  }
  const told = cause instanceof Error ? cause.message || cause.name : String(cause)
  // Deno's messages contain the address, whose query may be a signature.
  const why = told.replaceAll(/\?[^\s)]+/g, '')
  const isUnsent = NOT_SENT.has(code) || CERTIFICATE_CODES.has(code) || UNCONNECTED.test(why)
  return new ConnectionError(code === '' || why.includes(code) ? why : `${why} (${code})`, {
    cause: why === told ? cause : undefined,
    maybeSent: !isUnsent,
  })
}
