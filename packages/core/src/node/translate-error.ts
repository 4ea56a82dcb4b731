import { ConnectionError, TimeoutError, type TimeoutPhase } from '../errors/service-errors.ts'
import { CERTIFICATE_CODES } from '../transport/certificate-codes.ts'

const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'idle',
}

/** Where a connection never stood. A name that is not found may be so for a moment, on a network that is changing. */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** An error of undici as the client knows it: a deadline, a connection that never stood, or as it is. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // undici adds what it could not parse, which is as much as the service sent and may repeat the request.
  if (error.name === 'HTTPParserError') Object.assign(error, { data: undefined })
  const code = codeOf(error)
  const phase = PHASES[code]
  if (phase !== undefined) return new TimeoutError(phase, `The ${phase} deadline passed`, { cause: error })
  // Node tries every address of a name, and joins what came of it.
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
