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
  if (name.startsWith('[')) return isPrivateIpv6(ipv6Groups(name.slice(1, -1)))
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(name)
  if (octets !== null) return isPrivateIpv4(octets.slice(1).reduce((sum, octet) => sum * 256 + Number(octet), 0))
  return !name.includes('.') || LOCAL_ZONES.some((zone) => name.endsWith(zone))
}

/** Zones that never are on the public internet: reserved ones (RFC 6761, 6762, 8375) and those that home and office use. */
const LOCAL_ZONES = [
  '.localhost',
  '.localdomain',
  '.local',
  '.internal',
  '.intranet',
  '.private',
  '.corp',
  '.home',
  '.lan',
  '.home.arpa',
]

/** The host as a URL parser spells it: one spelling for every address, no dot at the end. */
function normalizeHost(host: string): string | undefined {
  const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  // A character that ends the host in a URL would hide what follows it.
  if (host === '' || /[\s/?#@\\]/.test(address) || !URL.canParse(`http://${address}/`)) return undefined
  const { hostname, port } = new URL(`http://${address}/`)
  return port === '' ? hostname.replace(/\.$/, '') : undefined
}

/** First address and prefix length of every block that is not globally reachable (IANA special-purpose registry). */
const PRIVATE_IPV4: readonly (readonly [base: number, prefix: number])[] = [
  [0x00_00_00_00, 8],
  [0x0a_00_00_00, 8],
  [0x64_40_00_00, 10],
  [0x7f_00_00_00, 8],
  [0xa9_fe_00_00, 16],
  [0xac_10_00_00, 12],
  [0xc0_00_00_00, 24],
  [0xc0_00_02_00, 24],
  [0xc0_58_63_00, 24],
  [0xc0_a8_00_00, 16],
  [0xc6_12_00_00, 15],
  [0xc6_33_64_00, 24],
  [0xcb_00_71_00, 24],
  [0xe0_00_00_00, 3],
]

function isPrivateIpv4(address: number): boolean {
  return PRIVATE_IPV4.some(([base, prefix]) => address >= base && address < base + 2 ** (32 - prefix))
}

/** The eight groups of an address as a URL parser spells it: shortened, never with dots. */
function ipv6Groups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const before = parseGroups(head)
  if (tail === undefined) return before
  const after = parseGroups(tail)
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

function parseGroups(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
}

/** Only 2000::/3 is global unicast. IPv4 in a mapped, translated or 6to4 address is judged as that IPv4 address. */
function isPrivateIpv6(groups: readonly number[]): boolean {
  const [a = 0, b = 0] = groups
  const ipv4 = (at: number): boolean => isPrivateIpv4((groups[at] ?? 0) * 0x1_00_00 + (groups[at + 1] ?? 0))
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xff_ff])) return ipv4(6)
  if (startsWith(groups, [0x64, 0xff_9b, 0, 0, 0, 0])) return ipv4(6)
  if (a === 0x20_02) return ipv4(1)
  if (a < 0x20_00 || a > 0x3f_ff) return true
  // 2001::/23 holds protocols such as Teredo, 2001:db8::/32 and 3fff::/20 examples.
  return (a === 0x20_01 && (b < 0x02_00 || b === 0x0d_b8)) || (a === 0x3f_ff && b < 0x10_00)
}

function startsWith(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, index) => groups[index] === group)
}
