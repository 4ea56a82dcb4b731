import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** Addresses and CIDR blocks of a network. */
export class AddressSet {
  readonly #blocks = new BlockList()

  /** @throws RangeError naming the entry that is neither an address nor a CIDR block */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry.trim())
  }

  /** Whether the text is an address of this set, in any spelling that {@link readAddress} reads. */
  has(text: string | undefined): boolean {
    const address = readAddress(text)
    return address !== undefined && this.#blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }

  #add(entry: string): void {
    const [host = '', prefix, ...rest] = entry.split('/')
    const version = isIP(host)
    const max = version === 6 ? 128 : 32
    const length = Number(prefix ?? max)
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length <= max)
    if (version === 0 || host.includes('%') || !isPrefix || rest.length > 0) throw notAnEntry(entry)
    this.#blocks.addSubnet(host, length, version === 6 ? 'ipv6' : 'ipv4')
  }
}

function notAnEntry(entry: string): RangeError {
  return new RangeError(`has ${JSON.stringify(entry.slice(0, 100))}, which is not an address or a CIDR block`)
}

/**
 * Reads an address as sockets and `X-Forwarded-For` write it: with brackets, a port or a zone, and IPv4 as IPv6 too.
 * @returns The one canonical spelling; `undefined` when the text is no address
 */
export function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > LONGEST) return undefined
  // Nearly every request: the address of a socket.
  if (isIPv4(text)) return text
  const { inner, plain = text } = WITH_PORT.exec(text)?.groups ?? {}
  const [address = ''] = (inner ?? plain).split('%')
  const version = isIP(address)
  if (version !== 6) return version === 4 ? address : undefined
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  return canonical.startsWith(MAPPED) && isIP(canonical.slice(MAPPED.length)) === 4
    ? canonical.slice(MAPPED.length)
    : canonical
}

/** Longer than any address with a zone and a port. */
const LONGEST = 100

/** `[2001:db8::1]:443`, `[2001:db8::1]` or `192.0.2.1:443`. */
const WITH_PORT = /^(?:\[(?<inner>[^\]]+)\](?::\d{1,5})?|(?<plain>[\d.]+):\d{1,5})$/

/** IPv4 in IPv6, as a socket that accepts both writes it. */
const MAPPED = '::ffff:'

/**
 * The network that counts as one client: an IPv4 address itself, and the first 64 bits of an IPv6 address, because one
 * client has as many addresses in them as it likes.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  const last = after === undefined || after === '' ? [] : after.split(':')
  const missing = Math.max(0, 8 - groups.length - last.length)
  const all = after === undefined ? groups : [...groups, ...Array.from({ length: missing }, () => '0'), ...last]
  return `${all.slice(0, 4).join(':')}::/64`
}

/** An address that a host name resolves to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** The part of the operator's own network that a setting lists: host names, addresses and CIDR blocks. */
export class TrustedNetworks {
  readonly #hosts = new Set<string>()
  readonly #addresses = new BlockList()

  /** @throws RangeError for an entry that is none of these */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry)
  }

  /** Whether the host of a URL is listed: as a name, or as an address in a listed block. */
  lists(hostname: string): boolean {
    if (this.#hosts.has(hostname)) return true
    const bare = withoutBrackets(hostname)
    const family = isIP(bare)
    return family !== 0 && this.#holds({ address: bare, family })
  }

  /** Whether an address that this name resolved to is listed. A listed name permits all of its addresses. */
  holds(hostname: string, address: ResolvedAddress): boolean {
    return this.#hosts.has(hostname) || this.#holds(address)
  }

  #holds({ address, family }: ResolvedAddress): boolean {
    return this.#addresses.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }

  #add(text: string): void {
    const [host = '', prefix, ...rest] = text.trim().split('/')
    const bare = withoutBrackets(host)
    const version = isIP(bare)
    if (rest.length > 0 || (version === 0 && (prefix !== undefined || !isHostName(bare)))) throw notAHost(text)
    if (version === 0) {
      this.#hosts.add(new URL(`http://${bare}`).hostname)
      return
    }
    const max = version === 6 ? 128 : 32
    const length = Number(prefix ?? max)
    if (!/^\d+$/.test(prefix ?? '0') || length > max) throw notAHost(text)
    this.#addresses.addSubnet(bare, length, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Returns the host of a URL as `node:net` writes it: an IPv6 address without brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && URL.canParse(`http://${text}`)
}

function notAHost(text: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is not a host, an address or a CIDR block`)
}
