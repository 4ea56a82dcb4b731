import { BlockList, isIP } from 'node:net'

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
    if (rest.length > 0 || (version === 0 && (prefix !== undefined || !isHostName(bare)))) throw notAnEntry(text)
    if (version === 0) {
      this.#hosts.add(new URL(`http://${bare}`).hostname)
      return
    }
    const max = version === 6 ? 128 : 32
    const length = Number(prefix ?? max)
    if (!/^\d+$/.test(prefix ?? '0') || length > max) throw notAnEntry(text)
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

function notAnEntry(text: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is not a host, an address or a CIDR block`)
}
