import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Client, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg'
import { errorCode } from '../../domain/error-code.ts'
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'
import type { DatabaseConnections } from '../../ports/store-metrics.ts'
import { loadOptional } from '../load-optional.ts'
import { databaseHosts, type DatabaseHosts } from './hosts.ts'

/** Longest wait for a new connection, in milliseconds. */
export const CONNECT_MS = 5000

/**
 * Longest wait for the response to a query, in milliseconds. The server ends a statement and a wait for a lock before:
 * nothing happens for a client that has stopped waiting.
 */
const QUERY_MS = 12_000
const STATEMENT_MS = 10_000
const LOCK_MS = 5000

/** Interval at which the server looks for a client that has gone while it waits or works, in milliseconds. */
const CLIENT_CHECK_MS = 1000

/** Longest pause inside a transaction, in milliseconds. A process that stopped there then holds no lock any more. */
const PAUSE_MS = 10_000

/** Options of {@link createPool}. */
export interface PostgresOptions {
  /** Address of the database: `postgres://user:password@host:5432/name`. It may have several hosts. */
  readonly url: string
  /** Maximum connections of this process. @default 10 */
  readonly connections?: number
  /**
   * Whether a pooler in transaction mode may be between: each transaction then brings its settings, and no statement has a
   * name. @default false
   */
  readonly isPooled?: boolean
  /** Whether statements may take any time, for a command that an operator watches. @default false */
  readonly patient?: boolean
  /** Is given a function that tells the state of the pool. @default nobody asks */
  readonly watch?: (read: () => DatabaseConnections) => void
  /** Is told of the error of an idle connection. Its successor is opened at the next query. */
  readonly onError: (error: Error) => void
}

/** Makes a pool of connections. Loads the driver. @throws RangeError for an unknown `target_session_attrs` */
export async function createPool(settings: PostgresOptions): Promise<PostgresPool> {
  const { url, connections = 10, patient = false, isPooled = false, watch, onError } = settings
  const { default: pg } = await loadOptional('pg', 'DATABASE_URL', () => import('pg'))
  const hosts = databaseHosts(url)
  // PostgreSQL sends both as text, because they may exceed a double. The service's own never do.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.NUMERIC, Number)
  const options = {
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    ...(patient ? {} : { query_timeout: QUERY_MS }),
    keepAlive: true,
    application_name: 'svc-audio',
    types,
  }
  /** A connection to the host that is chosen when it is made. */
  class HostClient extends pg.Client {
    constructor(config: ClientConfig = {}) {
      super({ ...config, connectionString: hosts.url })
    }
  }
  const pool = new pg.Pool({ ...options, Client: HostClient })
  pool.on('error', onError)
  watch?.(() => ({
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  // The pool listens to idle connections only. A server that stops writes to a connection in use too, between two
  // queries; its next query fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const prepared = new WeakSet<PoolClient>()
  return {
    Client: pg.Client,
    options,
    connect: async () => guarded(await connect(pool, { hosts, prepared, patient }), { hosts, isPooled }),
    end: () => pool.end(),
  }
}

/** What {@link connect} needs. */
interface Connecting {
  readonly hosts: DatabaseHosts
  /** The connections whose session has its settings. */
  readonly prepared: WeakSet<PoolClient>
  readonly patient: boolean
}

/** Takes a connection to a server that will do: tries each host once. @throws DatabaseUnavailableError */
async function connect(pool: Pool, { hosts, prepared, patient }: Connecting): Promise<PoolClient> {
  let failure: unknown
  for (let attempt = 0; attempt < hosts.count; attempt += 1) {
    const { url } = hosts
    try {
      const client = await pool.connect()
      if (prepared.has(client) || (await isPrepared(client, { hosts, patient }))) {
        prepared.add(client)
        return client
      }
      failure = new Error('The server is read-only, and target_session_attrs of DATABASE_URL excludes it')
    } catch (error) {
      failure = error
    }
    hosts.leave(url)
  }
  throw new DatabaseUnavailableError({ cause: failure })
}

/** The settings of a session, in a form that a connection pooler passes on: it refuses unknown ones of the start. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: String(STATEMENT_MS),
  lock_timeout: String(LOCK_MS),
  idle_in_transaction_session_timeout: String(PAUSE_MS),
  client_connection_check_interval: String(CLIENT_CHECK_MS),
  default_transaction_isolation: 'read committed',
}
const PREPARE = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS standby, ${Object.keys(
  SETTINGS,
)
  .map((name, index) => `set_config('${name}', $${index + 1}, false)`)
  .join(', ')}`

/**
 * Sets up the session of a new connection.
 * @returns `false` for a server that will not do; its connection is closed
 * @throws What the driver throws; the connection is closed
 */
async function isPrepared(client: PoolClient, { hosts, patient }: Omit<Connecting, 'prepared'>): Promise<boolean> {
  try {
    const values = { ...SETTINGS, ...(patient ? { statement_timeout: '0' } : {}) }
    const { rows } = await client.query<{ standby: boolean }>(PREPARE, Object.values(values))
    if (!hosts.needsPrimary || rows[0]?.standby === false) return true
    client.release(true)
    return false
  } catch (error) {
    client.release(true)
    throw error
  }
}

/**
 * A connection that is closed when a response is late: the response would be taken for the next query's. Its errors tell
 * whether anything may have been stored.
 */
function guarded(
  client: PoolClient,
  { hosts, isPooled }: { readonly hosts: DatabaseHosts; readonly isPooled: boolean },
): PostgresPoolClient {
  const { url } = hosts
  let useless = false
  let open = false
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const isEnd = text === 'commit' || text === 'rollback'
    // The end of the connection rolls back. The error that ended it is the one that counts.
    if (text === 'rollback' && useless) return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    if (text === 'begin') open = true
    const stores = text === 'commit' || (!open && !/^\s*(?:begin|rollback|select)\b/i.test(text))
    try {
      if (text !== 'begin') return await client.query(isPooled ? { text, values: [...values] } : named(text, values))
      // Without values it is a simple query, which may have several statements.
      return await client.query(isPooled ? POOLED_BEGIN : BEGIN)
    } catch (error) {
      useless ||= isLost(error) || isReadOnly(error)
      if (isReadOnly(error)) hosts.leave(url)
      throw outcomeOf(error, stores)
    } finally {
      if (isEnd) open = false
    }
  }
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the driver has no cursors, and its rows are the query's
    query: query as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || useless),
  }
}

const CLAIM = /^\s*SELECT \* FROM (?<name>svc_audio\.claim_\w+)\(/

/**
 * Gives a claim a name: the server parses and plans it once for each connection. A pooler in transaction mode may send
 * a named statement to a connection that does not have it.
 */
function named(text: string, values: readonly unknown[]): QueryConfig {
  const name = CLAIM.exec(text)?.groups?.['name']
  return { text, values: [...values], ...(name === undefined ? {} : { name }) }
}

/** Statements see what others have committed before them, whatever the default of the server or role. */
const BEGIN = 'begin isolation level read committed'

/** Behind a pooler in transaction mode, the settings of a session belong to any session. */
const POOLED_BEGIN = `${BEGIN}; set local statement_timeout = ${STATEMENT_MS}; set local lock_timeout = ${LOCK_MS}; set local idle_in_transaction_session_timeout = ${PAUSE_MS}`

/**
 * Errors of a server that cannot work now, by SQLSTATE: it only reads, as a standby does; it has no disk, memory or
 * connections left; it cancelled the statement; the statement waited too long for a lock, or in a circle; its disk
 * fails. The statement had no effect.
 */
const UNABLE = /^(?:25006|53|57014|55P03|40001|40P01|58)/

/** SQLSTATEs of a server that stops or closes the connection. Others at this severity are mistakes in the set-up. */
const CLOSING = /^(?:08|57P|25P03)/

/**
 * Whether a connection has ended with this error: the driver lost it, or the server closed it. An error of a statement
 * has a severity below `FATAL`.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!('severity' in error)) return true
  return error.severity === 'FATAL' || error.severity === 'PANIC' || CLOSING.test(errorCode(error))
}

/** Whether the server answered that it is read-only: another host of the address may be the primary. */
function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006'
}

/**
 * Names the outcome of a failed query.
 * @param stores Whether the query makes a change durable by itself: a commit, or a write outside a transaction.
 * @returns OutcomeUnknownError if such a change may have been stored; DatabaseUnavailableError if nothing was stored and
 * the database is the cause; any other error unchanged
 */
export function outcomeOf(error: unknown, stores: boolean): unknown {
  if (isLost(error))
    return stores ? new OutcomeUnknownError({ cause: error }) : new DatabaseUnavailableError({ cause: error })
  return UNABLE.test(errorCode(error)) ? new DatabaseUnavailableError({ cause: error }) : error
}

/** What is between a process and PostgreSQL. */
export type Pooler = 'none' | 'session' | 'transaction'

/**
 * Finds out whether a connection pooler is between, and its mode. A pooler in session mode gives each client a server
 * process for its whole life, one in transaction mode for a transaction at a time. Asks the first host that responds.
 * @throws What the driver throws for the last host
 */
export async function findPooler(address: string): Promise<Pooler> {
  const hosts = databaseHosts(address)
  for (let left = hosts.count; ; left -= 1) {
    const { url } = hosts
    try {
      return await findPoolerAt(url)
    } catch (error) {
      if (left <= 1) throw error
      hosts.leave(url)
    }
  }
}

async function findPoolerAt(connectionString: string): Promise<Pooler> {
  const { default: pg } = await loadOptional('pg', 'DATABASE_URL', () => import('pg'))
  const open = async (): Promise<Client> => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const [one, two] = await Promise.all([open(), open()])
  try {
    const first = await processOf(one)
    // A pooler has numbers of its own for its clients.
    if ('processID' in one && one.processID === first) return 'none'
    // While one client is in a transaction, the other gets another process, unless each has its own.
    await two.query('begin')
    const second = await processOf(two)
    if (second === first) return 'transaction'
    return (await processOf(one)) === first ? 'session' : 'transaction'
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
}

async function processOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid
}
