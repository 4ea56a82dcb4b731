import { checkPublicUrl, isPrivateHost } from '@svc-audio/core/adapter'
import { InvalidRequestError } from '@svc-audio/core/pure'
import { TrustedNetworks, type ResolvedAddress } from './trusted-networks.ts'
import { invalid } from './service-error.ts'

/** Longest URL of audio, in characters. Signed cloud URLs can have a few thousand. */
const MAX_URL_CHARACTERS = 8192

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
      if (text.length > MAX_URL_CHARACTERS) {
        throw invalid('invalid_url', param, `${param} must have at most ${MAX_URL_CHARACTERS} characters`)
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
