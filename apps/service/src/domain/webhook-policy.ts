import { isPrivateHost } from '@svc-audio/core/adapter'
import { TrustedNetworks, type ResolvedAddress } from './trusted-networks.ts'
import { invalid } from './service-error.ts'

/** Longest `webhook_url`, in characters. */
const MAX_URL_CHARACTERS = 2048

/** Decides which URLs and addresses webhooks may call. */
export interface WebhookPolicy {
  /**
   * Checks a `webhook_url` without resolving its name.
   * @returns The URL to call.
   * @throws ServiceError 400 `invalid_webhook_url` unless the URL is HTTPS and public, or listed
   */
  check(url: string): string
  /** Whether a webhook may connect to an address that the URL's host name resolved to. */
  permits(url: URL, address: ResolvedAddress): boolean
}

/**
 * Creates a policy with exceptions for the operator's own network.
 * @param allow Host names, addresses and CIDR blocks. An entry with the prefix `http://` may also be called without
 * TLS.
 * @throws RangeError for an entry that is none of these
 */
export function createWebhookPolicy(allow: readonly string[] = []): WebhookPolicy {
  const entries = allow.map((text) => text.trim())
  const listed = new TrustedNetworks(entries.map((text) => text.replace(PLAIN, '')))
  const plain = new TrustedNetworks(entries.filter((text) => PLAIN.test(text)).map((text) => text.replace(PLAIN, '')))
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

/** The prefix of an entry that needs no TLS. */
const PLAIN = /^http:\/\//

function parse(text: string): URL {
  const url = text.length <= MAX_URL_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse(`must be an absolute https URL of at most ${MAX_URL_CHARACTERS} characters`)
  }
  if (url.username !== '' || url.password !== '') throw refuse('must contain no user name and no password')
  return url
}

function refuse(rule: string): Error {
  return invalid('invalid_webhook_url', 'webhook_url', `webhook_url ${rule}`)
}
