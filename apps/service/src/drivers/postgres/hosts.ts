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

/** Values of `sslmode`, as libpq means them. It also knows two that may connect without encryption. */
const SSL_MODES: ReadonlySet<string> = new Set(['disable', 'require', 'verify-ca', 'verify-full'])

/**
 * Checks `sslmode`, and asks the driver to read it as libpq does: its own meaning of `require` is `verify-full`.
 * @throws RangeError
 */
function readSslMode(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode')
  if (mode === null) return
  if (!SSL_MODES.has(mode)) {
    throw new RangeError(`sslmode of DATABASE_URL must be ${[...SSL_MODES].join(', ')}, got ${mode}`)
  }
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw new RangeError(
      'sslmode=verify-ca of DATABASE_URL needs sslrootcert: set the path of the certificate, or use verify-full',
    )
  }
  parameters.set('uselibpqcompat', 'true')
}

/**
 * Reads an address with one or more hosts, as libpq does:
 * `postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write`. The driver itself knows one host.
 * @throws RangeError for an unknown `target_session_attrs` or `sslmode`
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
  readSslMode(parameters)
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
