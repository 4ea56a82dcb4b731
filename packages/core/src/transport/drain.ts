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

/** The certificate was refused, so the request was not sent. */
export const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
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
