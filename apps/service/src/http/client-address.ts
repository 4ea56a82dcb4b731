import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AddressSet, readAddress } from '../domain/addresses.ts'

/**
 * Makes the check of proxies for `trustProxy` of Fastify.
 * @throws RangeError naming the entry that is neither an address nor a CIDR block
 */
export function trustedProxies(entries: readonly string[] = []): false | ((address: string | undefined) => boolean) {
  if (entries.length === 0) return false
  const proxies = proxySet(entries)
  return (address) => proxies.has(address)
}

/**
 * The set of the proxies of `trustProxy`.
 * @throws RangeError naming the entry that is neither an address nor a CIDR block
 */
export function proxySet(entries: readonly string[]): AddressSet {
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
  if (request.ips === undefined) return connectionAddress(request.raw.socket)
  const [, ...forwarded] = request.ips
  for (const text of forwarded.toReversed()) {
    const address = readAddress(text)
    if (address !== undefined) return address
  }
  return connectionAddress(request.raw.socket)
}

/** Addresses of connections: a socket takes longer to tell it. */
const addresses = new WeakMap<Socket, string>()

function connectionAddress(socket: Socket): string {
  const known = addresses.get(socket)
  if (known !== undefined) return known
  const address = readAddress(socket.remoteAddress)
  if (address === undefined) return UNKNOWN
  addresses.set(socket, address)
  return address
}
