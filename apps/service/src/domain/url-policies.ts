import { checkPublicUrl, isPrivateHost } from '@svc-audio/core/adapter'
import { InvalidRequestError } from '@svc-audio/core/pure'
import { type ResolvedAddress, TrustedNetworks } from './addresses.ts'
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
      const isPrivate = isPrivateHost(url.hostname)
      const scheme = url.protocol === 'https:' ? '' : 'http://'
      const remedy = `For your own network, start the service with --webhook-allow ${scheme}${url.hostname.replaceAll(/[[\]]/g, '')}`
      if (url.protocol !== 'https:' && !plain.lists(url.hostname)) {
        throw refuse(isPrivate ? `must be an https URL. ${remedy}` : 'must be an https URL')
      }
      if (isPrivate && !listed.lists(url.hostname)) {
        throw refuse(`must be public: localhost, loopback, link-local and private addresses are refused. ${remedy}`)
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

/** Longest URL of audio, in characters. Signed cloud URLs can have a few thousand. */
const MAX_AUDIO_URL_CHARACTERS = 8192

/** Decides which URLs and addresses audio may be fetched from. */
export interface AudioUrlPolicy {
  /**
   * Checks a URL without resolving its name.
   * @param param The field it belongs to, for errors.
   * @throws ServiceError 400 `invalid_url` unless the URL is http or https without a password; 400 `private_url`
   * unless its host is public or listed
   */
  check(url: string, param: string): URL
  /** Whether audio may be fetched from an address that the host name resolved to. */
  permits(hostname: string, address: ResolvedAddress): boolean
}

/**
 * Creates a policy with exceptions for the operator's own network.
 * @param allow Host names, addresses and CIDR blocks, as `SVC_AUDIO_URL_ALLOW` lists them.
 * @throws RangeError for an entry that is none of these
 */
export function createAudioUrlPolicy(allow: readonly string[] = []): AudioUrlPolicy {
  const own = new TrustedNetworks(allow)
  return {
    check(text, param) {
      if (text.length > MAX_AUDIO_URL_CHARACTERS) {
        throw invalid('invalid_url', param, `${param} must have at most ${MAX_AUDIO_URL_CHARACTERS} characters`)
      }
      try {
        return checkPublicUrl(text, param)
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) throw error
        const url = error.code === 'private_url' ? new URL(text) : undefined
        if (url !== undefined && own.lists(url.hostname)) return url
        throw invalid(url === undefined ? 'invalid_url' : 'private_url', param, error.message)
      }
    },
    permits: (hostname, address) => own.holds(hostname, address) || !isPrivateHost(address.address),
  }
}
