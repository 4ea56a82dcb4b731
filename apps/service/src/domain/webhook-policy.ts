import { isPrivateHost } from '@svc-audio/core/interface'
import { OwnNetwork, type ResolvedAddress } from './own-network.ts'
import { invalid } from './service-error.ts'

/** Longest `webhook_url`, in characters. */
const MAX_URL_CHARACTERS = 2048

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

/**
 * The policy with exceptions for the operator's own network.
 * @param allow Host names, addresses and CIDR blocks. One that begins with `http://` may be called without TLS too.
 * @throws RangeError for an entry that is none of these
 */
export function createWebhookPolicy(allow: readonly string[] = []): WebhookPolicy {
  const entries = allow.map((text) => text.trim())
  const listed = new OwnNetwork(entries.map((text) => text.replace(PLAIN, '')))
  const plain = new OwnNetwork(entries.filter((text) => PLAIN.test(text)).map((text) => text.replace(PLAIN, '')))
  return {
    check(text) {
      const url = parse(text)
      if (url.protocol !== 'https:' && !plain.lists(url.hostname)) {
        throw refuse('must be an https URL')
      }
      if (isPrivateHost(url.hostname) && !listed.lists(url.hostname)) {
        throw refuse('must be public: localhost, loopback, link-local and private addresses are refused')
      }
      return url.href
    },
    permits({ hostname, protocol }, address) {
      const own = protocol === 'https:' ? listed : plain
      if (own.holds(hostname, address)) return true
      return protocol === 'https:' && !isPrivateHost(address.address)
    },
  }
}

/** What an entry that needs no TLS begins with. */
const PLAIN = /^http:\/\//

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
