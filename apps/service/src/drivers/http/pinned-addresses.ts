import { isIP, type LookupFunction } from 'node:net'
import { type ResolvedAddress, withoutBrackets } from '../../domain/addresses.ts'

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/**
 * Resolves the host of a URL once, to all its addresses.
 * @throws Error when there is none, and the error of `resolve`
 */
export async function addressesOf({ hostname }: URL, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const host = withoutBrackets(hostname)
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  return addresses
}

/** Makes a lookup that returns the checked addresses to every caller. */
export function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (all === true) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}

/** Waits for work that cannot be stopped. Throws the signal's reason when the signal aborts first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
