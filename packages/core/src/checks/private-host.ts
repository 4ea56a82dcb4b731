/**
 * Whether a host is one that only this machine or its own network can mean: a loopback, link-local, private or otherwise
 * special address in any spelling (decimal, octal, hexadecimal, IPv4 inside IPv6), `localhost`, a name of a local zone,
 * or a name without a dot. What cannot be read as a host counts as private.
 *
 * A name is judged by its spelling alone: who fetches must check again the address that it resolves to.
 *
 * @param host As in a URL, without a port; an IPv6 address with or without brackets.
 */
export function isPrivateHost(host: string): boolean {
  const name = normalizeHost(host)
  if (name === undefined) return true
  if (name.startsWith('[')) return isPrivateIpv6(name.slice(1, -1))
  return /^[\d.]+$/.test(name) ? PRIVATE_IPV4.test(name) : !name.includes('.') || LOCAL_ZONE.test(name)
}

/** Zones that never are on the public internet: reserved ones (RFC 6761, 6762, 8375) and those that home and office use. */
const LOCAL_ZONE = /\.(local(host|domain)?|internal|intranet|private|corp|lan|home(\.arpa)?)$/

/** The host as a URL parser spells it: one spelling for every address, no dot at the end. */
function normalizeHost(host: string): string | undefined {
  const address = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`
  // A character that ends the host in a URL would hide what follows it.
  if (host === '' || /[\s/?#@\\]/.test(host) || !URL.canParse(address)) return undefined
  const { hostname, port } = new URL(address)
  return port === '' ? hostname.replace(/\.$/, '') : undefined
}

/** How an address of a block begins that is not globally reachable (IANA special-purpose registry). */
const PRIVATE_IPV4 =
  /^(0|10|127|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(0\.[02]|88\.99|168)|198\.(1[89]|51\.100)|203\.0\.113|22[4-9]|2[3-5]\d)\./

/** @param address As a URL parser spells it: shortened, never with dots. */
function isPrivateIpv6(address: string): boolean {
  // Mapped and translated addresses, and those of 6to4, are judged by the IPv4 address in them.
  const ipv4 = /^(?:::ffff:|64:ff9b::)(\w+):(\w+)$/.exec(address) ?? /^2002:(\w+):(\w*)/.exec(address)
  if (ipv4 !== null) {
    const octets = ipv4.slice(1).flatMap((group) => [parseGroup(group) >> 8, parseGroup(group) & 255])
    return PRIVATE_IPV4.test(octets.join('.'))
  }
  const [a = 0, b = 0] = address.split(':').map(parseGroup)
  // Only 2000::/3 is global unicast. 2001::/23 holds protocols such as Teredo, 2001:db8::/32 and 3fff::/20 examples; what
  // is left of 2002::/16 holds no public IPv4 address.
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
