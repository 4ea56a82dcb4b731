import { InvalidRequestError } from '../errors/request-errors.ts'
import { isPrivateHost } from './private-host.ts'
import { httpUrl } from './values.ts'

/**
 * A URL that the service shall fetch must be an http or https one to a public host (interface: transcription `url`).
 * Nothing is resolved or fetched: see {@link isPrivateHost} for what a name can hide.
 *
 * @param param The field it belongs to, for errors.
 * @param options With `allowPrivateUrls`, private addresses pass.
 * @returns The URL as parsed.
 * @throws InvalidRequestError `invalid_url`, or `private_url` for localhost, a loopback, link-local or private address
 */
export function checkPublicUrl(
  url: string,
  param: string,
  { allowPrivateUrls = false }: { readonly allowPrivateUrls?: boolean } = {},
): URL {
  // Parsers differ in what they make of these, so that what is fetched might not be what was checked.
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
