import { ConnectionError, TimeoutError, type TimeoutPhase } from '../errors/service-errors.ts'
import { CERTIFICATE_CODES } from '../transport/drain.ts'

const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'idle',
}

/**
 * Codes for a connection that was never established. A name may be unresolvable for a moment while the network changes.
 */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/**
 * Translates an error of undici: a passed deadline, a connection that was never established, or the error unchanged.
 */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // undici adds the unparsed data. It can be as long as the response, and can repeat the request.
  if (error.name === 'HTTPParserError') Object.assign(error, { data: undefined })
  const code = codeOf(error)
  const phase = PHASES[code]
  if (phase !== undefined) return new TimeoutError(phase, `The ${phase} deadline passed`, { cause: error })
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ConnectionError('The headers of the response are too large: raise maxHeaderSize of nodeTransport()', {
      cause: error,
    })
  }
  // Node tries every address of a name, and joins the errors.
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  if (!errors.every(isUnsent)) return error
  return new ConnectionError(`${error.message || error.name} (${code})`, { cause: error, maybeSent: false })
}

function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return UNCONNECTED.has(code) || CERTIFICATE_CODES.has(code)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
