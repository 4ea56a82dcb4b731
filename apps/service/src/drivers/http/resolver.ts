import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { type ResolvedAddress, withoutBrackets } from '../../domain/addresses.ts'

/** Options of {@link createResolver}. */
export interface ResolverOptions {
  /** Addresses of name servers, with a port if it is not 53. @default the system's */
  readonly servers?: readonly string[]
  /** Longest wait for one response of a name server, in milliseconds. @default 2000 */
  readonly timeout?: number
  /** Questions to each name server. @default 2 */
  readonly tries?: number
  /** The system's own list of names. @default '/etc/hosts' */
  readonly hostsFile?: string
  /** The system's list of search domains. @default '/etc/resolv.conf' */
  readonly searchFile?: string
}

/**
 * Makes a resolver that occupies no thread: silent name servers delay only who asks for them. The system's own function
 * waits in one of four threads that also read and write files. As the system does, it reads the hosts file first, and
 * completes a name without a dot with the search domains.
 */
export function createResolver({
  servers,
  timeout = 2000,
  tries = 2,
  hostsFile = '/etc/hosts',
  searchFile = '/etc/resolv.conf',
}: ResolverOptions = {}): Resolve {
  return async (host) => {
    const name = host.toLowerCase().replace(/\.$/, '')
    const known = namedIn(await readText(hostsFile), name)
    if (known.length > 0) return known
    const resolver = new Resolver({ timeout, tries })
    if (servers !== undefined) resolver.setServers(servers)
    const domains = name.includes('.') ? [] : searchDomains(await readText(searchFile))
    return ask(resolver, [...domains.map((domain) => `${name}.${domain}`), name])
  }
}

/** Asks for the names in turn. @returns The addresses of the first name that has any. */
async function ask(resolver: Resolver, [name = '', ...others]: readonly string[]): Promise<readonly ResolvedAddress[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }))
  if (others.length > 0) return ask(resolver, others)
  const [failed] = answers
  throw failed.status === 'rejected' ? failed.reason : new Error(`${name} has no address`)
}

/** The addresses of a name in the text of a hosts file: `address name name …`. */
function namedIn(text: string, name: string): ResolvedAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    return family !== 0 && names.some((one) => one.toLowerCase() === name) ? [{ address, family }] : []
  })
}

function searchDomains(text: string): string[] {
  // The last line wins, as for the system.
  const lines = text.split('\n').filter((line) => /^(?:search|domain)\s/.test(line))
  return (lines.at(-1) ?? '').trim().split(/\s+/).slice(1)
}

/** Systems without the file have other means, and then only the name servers are asked. */
async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/**
 * Resolves the host of a URL once, to all its addresses.
 * @throws Error when there is none, and the error of `resolve`
 */
export async function addressesOf({ hostname }: URL, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const host = withoutBrackets(hostname)
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  return addresses
}

/** Makes a lookup that returns the checked addresses to every caller. */
export function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (all === true) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}
