import { InvalidRequestError } from '../errors.ts'
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

/**
 * Whether a host is private to this machine or its network: a loopback, link-local, private or otherwise special
 * address in any spelling (decimal, octal, hexadecimal, IPv4 inside IPv6), `localhost`, a name of a local zone, or a
 * name without a dot. An invalid host counts as private.
 *
 * A name is judged only by its spelling. Before a fetch, check the resolved address too.
 *
 * @param host As in a URL, without a port; an IPv6 address with or without brackets.
 */
export function isPrivateHost(host: string): boolean {
  const name = normalizeHost(host)
  if (name === undefined) return true
  if (name.startsWith('[')) return isPrivateIpv6(name.slice(1, -1))
  return /^[\d.]+$/.test(name) ? PRIVATE_IPV4.test(name) : !name.includes('.') || LOCAL_ZONE.test(name)
}

/**
 * Zones that are never on the public internet: reserved zones (RFC 6761, 6762, 8375), and common zones of homes and
 * offices.
 */
const LOCAL_ZONE = /\.(local(host|domain)?|internal|intranet|private|corp|lan|home(\.arpa)?)$/

/** Normalizes a host with a URL parser: one spelling for every address, no trailing dot. */
function normalizeHost(host: string): string | undefined {
  const address = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`
  // A character that ends the host in a URL would hide the rest.
  if (host === '' || /[\s/?#@\\]/.test(host) || !URL.canParse(address)) return undefined
  const { hostname, port } = new URL(address)
  return port === '' ? hostname.replace(/\.$/, '') : undefined
}

/** Prefixes of blocks that are not globally reachable (IANA special-purpose registry). */
const PRIVATE_IPV4 =
  /^(0|10|127|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(0\.[02]|88\.99|168)|198\.(1[89]|51\.100)|203\.0\.113|22[4-9]|2[3-5]\d)\./

/** @param address As a URL parser spells it: shortened, never with dots. */
function isPrivateIpv6(address: string): boolean {
  // Mapped, translated and 6to4 addresses are judged by their IPv4 address.
  const ipv4 = /^(?:::ffff:|64:ff9b::)(\w+):(\w+)$/.exec(address) ?? /^2002:(\w+):(\w*)/.exec(address)
  if (ipv4 !== null) {
    const octets = ipv4.slice(1).flatMap((group) => [parseGroup(group) >> 8, parseGroup(group) & 255])
    return PRIVATE_IPV4.test(octets.join('.'))
  }
  const [a = 0, b = 0] = address.split(':').map(parseGroup)
  // Only 2000::/3 is global unicast. 2001::/23 holds protocols such as Teredo, 2001:db8::/32 and 3fff::/20 examples.
  // The rest of 2002::/16 has no public IPv4 address.
  return (
    a < 0x20_00 ||
    a > 0x3f_ff ||
    a === 0x20_02 ||
    (a === 0x20_01 && (b < 0x02_00 || b === 0x0d_b8)) ||
    (a === 0x3f_ff && b < 0x10_00)
  )
}

/** Zeros may be left out. */
function parseGroup(group = ''): number {
  return Number.parseInt(group || '0', 16)
}
