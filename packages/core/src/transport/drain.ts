import type { Clock } from './transport.ts'

/** Bytes that may be read and thrown away to keep a connection. */
export const RELEASE_BYTES: number = 64 * 1024

/** How long the end of a body may take to keep its connection, in milliseconds. */
export const RELEASE_TIME = 1000

/**
 * Reads a body to its end if that is near, so that its connection can be used again; else gives it up. Never rejects.
 * @param next The next chunk, `undefined` at the end.
 * @param abort Frees the connection; a read that waits must settle then.
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
    // The connection is gone, and nobody waits for it.
  } finally {
    takeBack()
  }
}
