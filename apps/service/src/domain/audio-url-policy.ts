import { checkPublicUrl, InvalidRequestError, isPrivateHost } from '@svc-audio/core/interface'
import { OwnNetwork, type ResolvedAddress } from './own-network.ts'
import { invalid } from './service-error.ts'

/** Longest URL of audio, in characters: a signed one of a cloud has up to some thousand. */
const MAX_URL_CHARACTERS = 8192

/** Which addresses audio may be fetched from. */
export interface AudioUrlPolicy {
  /**
   * Checks a URL by its spelling.
   * @param param The field it belongs to, for errors.
   * @throws ServiceError 400 `invalid_url` unless it is an http or https one without a password; 400 `private_url`
   * unless it is public, or listed
   */
  check(url: string, param: string): URL
  /** Whether audio may be fetched from this address for this host: what its name has resolved to. */
  permits(hostname: string, address: ResolvedAddress): boolean
}

/**
 * The policy with exceptions for the operator's own network.
 * @param allow Host names, addresses and CIDR blocks, as `SVC_AUDIO_URL_ALLOW` lists them.
 * @throws RangeError for an entry that is none of these
 */
export function createAudioUrlPolicy(allow: readonly string[] = []): AudioUrlPolicy {
  const own = new OwnNetwork(allow)
  return {
    check(text, param) {
      if (text.length > MAX_URL_CHARACTERS) {
        throw invalid('invalid_url', param, `${param} has more than ${MAX_URL_CHARACTERS} characters`)
      }
      try {
        return checkPublicUrl(text, param)
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) throw error
        const url = error.code === 'private_url' ? new URL(text) : undefined
        if (url !== undefined && own.lists(url.hostname)) return url
        throw invalid(error.code, param, error.message)
      }
    },
    permits: (hostname, address) => own.holds(hostname, address) || !isPrivateHost(address.address),
  }
}
