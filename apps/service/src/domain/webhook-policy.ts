import { BlockList, isIP } from 'node:net'
import { isPrivateHost } from '@svc-audio/core/interface'
import { invalid } from './service-error.ts'

/** Longest `webhook_url`, in characters. */
const MAX_URL_CHARACTERS = 2048

/** An address that a host name stands for. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Which addresses may be called back. */
export interface WebhookPolicy {
  /**
   * Checks a `webhook_url` by its spelling.
   * @returns The URL as it will be called.
   * @throws ServiceError 400 `invalid_webhook_url` unless it is HTTPS and public, or listed
   */
  check(url: string): string
  /** Whether a connection to this address may be made for this URL: what its name has resolved to. */
  permits(url: URL, address: ResolvedAddress): boolean
}

/** A part of one's own network that may be called, as `SVC_AUDIO_WEBHOOK_ALLOW` lists it. */
interface Entry {
  readonly hosts: Set<string>
  readonly addresses: BlockList
}

/**
 * The policy with exceptions for one's own network.
 * @param allow Host names, addresses and CIDR blocks. One that begins with `http://` may be called without TLS too.
 * @throws RangeError for an entry that is none of these
 */
export function createWebhookPolicy(allow: readonly string[] = []): WebhookPolicy {
  const listed = newEntry()
  const plain = newEntry()
  for (const text of allow) {
    addTo(listed, text)
    if (text.startsWith('http://')) addTo(plain, text)
  }
  return {
    check(text) {
      const url = parse(text)
      if (url.protocol !== 'https:' && !holds(plain, url.hostname)) {
        throw refuse('must be an https URL')
      }
      if (isPrivateHost(url.hostname) && !holds(listed, url.hostname)) {
        throw refuse('must be public: localhost, loopback, link-local and private addresses are refused')
      }
      return url.href
    },
    permits({ hostname, protocol }, { address, family }) {
      const entry = protocol === 'https:' ? listed : plain
      // Whoever lists a name answers for what it resolves to.
      if (entry.hosts.has(hostname) || entry.addresses.check(address, family === 6 ? 'ipv6' : 'ipv4')) return true
      return protocol === 'https:' && !isPrivateHost(address)
    },
  }
}

function parse(text: string): URL {
  const url = text.length <= MAX_URL_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse(`must be an absolute https URL of at most ${MAX_URL_CHARACTERS} characters`)
  }
  if (url.username !== '' || url.password !== '') throw refuse('must hold no user name and no password')
  return url
}

function refuse(rule: string): Error {
  return invalid('invalid_webhook_url', 'webhook_url', `webhook_url ${rule}`)
}

function newEntry(): Entry {
  return { hosts: new Set(), addresses: new BlockList() }
}

function addTo({ hosts, addresses }: Entry, text: string): void {
  const [host = '', prefix, ...rest] = text
    .trim()
    .replace(/^http:\/\//, '')
    .split('/')
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(bare)
  if (rest.length > 0 || (version === 0 && (prefix !== undefined || !isHostName(bare)))) throw notAnEntry(text)
  if (version === 0) {
    hosts.add(new URL(`http://${bare}`).hostname)
    return
  }
  const family = version === 6 ? 'ipv6' : 'ipv4'
  const length = Number(prefix ?? (version === 6 ? 128 : 32))
  if (!/^\d+$/.test(prefix ?? '0') || length > (version === 6 ? 128 : 32)) throw notAnEntry(text)
  addresses.addSubnet(bare, length, family)
}

function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && URL.canParse(`http://${text}`)
}

function notAnEntry(text: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is not a host, an address or a CIDR block, with or without http://`)
}

function holds({ hosts, addresses }: Entry, hostname: string): boolean {
  if (hosts.has(hostname)) return true
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(bare)
  return version !== 0 && addresses.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}
