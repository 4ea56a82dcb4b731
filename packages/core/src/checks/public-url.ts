import { InvalidRequestError } from '../errors/request-errors.ts'
import { isPrivateHost } from './private-host.ts'
import { httpUrl } from './values.ts'

/**
 * Checks a URL that the service will fetch: an http or https URL of a public host (interface: transcription `url`). It
 * resolves and fetches nothing. See {@link isPrivateHost} for the limits of this check.
 *
 * @param param Name of the field, for errors
 * @param options With `allowPrivateUrls`, private addresses pass.
 * @returns the parsed URL
 * @throws InvalidRequestError `invalid_url`, or `private_url` for localhost, a loopback, link-local or private address
 */
export function checkPublicUrl(
  url: string,
  param: string,
  { allowPrivateUrls = false }: { readonly allowPrivateUrls?: boolean } = {},
): URL {
  // Parsers read these characters differently, so the fetched URL could differ from the checked one.
  const parsed = /[\s\\\p{Cc}]/u.test(url) ? undefined : httpUrl(url)
  if (parsed === undefined) {
    throw new InvalidRequestError('invalid_url', param, 'must be an absolute http or https URL')
  }
  if (parsed.username + parsed.password !== '') {
    throw new InvalidRequestError('invalid_url', param, 'must hold no credentials')
  }
  if (!allowPrivateUrls && isPrivateHost(parsed.hostname)) {
    throw new InvalidRequestError('private_url', param, 'must be a public address')
  }
  return parsed
}
