import { ConnectionError, type SvcAudioError, TimeoutError, type TimeoutPhase } from '../errors.ts'
import type { Clock } from './transport.ts'

/** Maximum bytes to read and drop in order to reuse a connection. */
export const RELEASE_BYTES: number = 64 * 1024

/** Longest wait for the end of a body in order to reuse its connection, in milliseconds. */
export const RELEASE_TIME = 1000

/**
 * Reads a body to its end if the end is near, so its connection can be reused. Aborts the body otherwise. Never
 * rejects.
 * @param next Returns the next chunk, `undefined` at the end.
 * @param abort Closes the connection. A pending read must then settle.
 */
export async function drain(
  next: () => Promise<Uint8Array | undefined>,
  abort: () => void,
  clock: Clock,
): Promise<void> {
  const takeBack = clock.setTimer(RELEASE_TIME, abort)
  try {
    for (let bytes = 0; bytes <= RELEASE_BYTES;) {
      const chunk = await next()
      if (chunk === undefined) return
      bytes += chunk.byteLength
    }
    abort()
  } catch {
    // The connection is closed, and no caller waits for it.
  } finally {
    takeBack()
  }
}

/** Deadlines of undici and of Node's `fetch`. */
const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'idle',
}

/**
 * Translates a failure that undici or Node's `fetch` names: a passed deadline, or headers that are too large.
 * @param remedy How the user allows larger headers
 * @returns `undefined` for any other failure
 */
export function namedFailure(cause: Error, remedy: string): SvcAudioError | undefined {
  // The unparsed data can be as long as the response, and can repeat the request.
  if (cause.name === 'HTTPParserError') Object.assign(cause, { data: undefined })
  const code = codeOf(cause)
  const phase = PHASES[code]
  if (phase !== undefined) return new TimeoutError(phase, `The ${phase} deadline passed`, { cause })
  if (code !== 'UND_ERR_HEADERS_OVERFLOW') return undefined
  return new ConnectionError(`The headers of the response are too large: ${remedy}`, { cause })
}

/**
 * Codes of Node and Bun for a request that was not sent: no connection, or a refused certificate. A name may be
 * unresolvable for a moment while the network changes.
 */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Whether the code of an error says that the request was not sent. */
export function isUnsent(error: unknown): boolean {
  return UNSENT.has(codeOf(error))
}

/** The code of a system error, empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
