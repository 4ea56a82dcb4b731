/** Where a process finds the server of the database. */
export interface DatabaseHosts {
  /** The address of the chosen host alone. */
  readonly url: string
  /** Number of hosts in the address. */
  readonly count: number
  /** Whether only a server that accepts writes will do. */
  readonly needsPrimary: boolean
  /** Chooses the next host, unless another caller has already moved on from this one. */
  leave(url: string): void
}

const ADDRESS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/s

/** Values of `target_session_attrs` that a primary satisfies. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

/**
 * Reads an address with one or more hosts, as libpq does:
 * `postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write`. The driver itself knows one host.
 * @throws RangeError for an unknown `target_session_attrs`
 */
export function databaseHosts(address: string): DatabaseHosts {
  const parts = ADDRESS.exec(address)?.groups
  if (parts === undefined) return { url: address, count: 1, needsPrimary: false, leave: () => undefined }
  const { scheme = '', user = '', hosts = '', rest = '' } = parts
  const [path = '', query = ''] = rest.split('?', 2)
  const parameters = new URLSearchParams(query)
  const names = hosts.split(',')
  const wanted = parameters.get('target_session_attrs') ?? (names.length > 1 ? 'read-write' : 'any')
  if (!ATTRIBUTES.has(wanted)) {
    throw new RangeError(`target_session_attrs of DATABASE_URL must be read-write, primary or any, got ${wanted}`)
  }
  parameters.delete('target_session_attrs')
  const tail = parameters.size === 0 ? path : `${path}?${parameters.toString()}`
  const urls = names.map((name) => `${scheme}${user}${name}${tail}`)
  let chosen = 0
  return {
    get url() {
      return urls[chosen] ?? address
    },
    count: urls.length,
    needsPrimary: wanted !== 'any',
    leave(url) {
      if (urls[chosen] === url) chosen = (chosen + 1) % urls.length
    },
  }
}
