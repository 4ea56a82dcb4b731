import type { FastifyRequest } from 'fastify'
import { AddressSet, readAddress } from '../domain/addresses.ts'

/**
 * Makes the check of proxies for `trustProxy` of Fastify.
 * @throws RangeError naming the entry that is neither an address nor a CIDR block
 */
export function trustedProxies(entries: readonly string[] = []): false | ((address: string | undefined) => boolean) {
  if (entries.length === 0) return false
  const proxies = addressSetOf(entries)
  return (address) => proxies.has(address)
}

function addressSetOf(entries: readonly string[]): AddressSet {
  try {
    return new AddressSet(entries)
  } catch (error) {
    throw new RangeError(`trustProxy ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** The address of a request whose connection has ended. */
const UNKNOWN = 'unknown'

/**
 * Returns the address of a request's client: of the connection, or, behind trusted proxies, the last one of
 * `X-Forwarded-For` that no trusted proxy has. What is no address does not count, nor what stands before it.
 */
export function clientAddress(request: FastifyRequest): string {
  const [connection, ...forwarded] = request.ips ?? [request.ip]
  for (const text of forwarded.toReversed()) {
    const address = readAddress(text)
    if (address !== undefined) return address
  }
  return readAddress(connection) ?? UNKNOWN
}
