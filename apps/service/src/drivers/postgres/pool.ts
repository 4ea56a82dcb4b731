import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { errorCode } from '../../domain/error-code.ts'
import { DatabaseUnavailableError } from '../../domain/errors.ts'
import { loadOptional } from '../load-optional.ts'

/** Longest wait for a new connection and for the answer to a query, in milliseconds. */
const CONNECT_MS = 5000
const QUERY_MS = 20_000

/** Longest pause inside a transaction, in milliseconds. A process that stopped there then holds no lock any more. */
const PAUSE_MS = 10_000

/** Options of {@link createPool}. */
export interface PostgresOptions {
  /** Address of the database: `postgres://user:password@host:5432/name`. */
  readonly url: string
  /** Most connections of this process. @default 10 */
  readonly connections?: number
  /** Is told of the error of an idle connection. Its successor is opened at the next query. */
  readonly onError: (error: Error) => void
}

/** Makes a pool of connections. Loads the driver. */
export async function createPool({ url, connections = 10, onError }: PostgresOptions): Promise<PostgresPool> {
  const { default: pg } = await loadOptional('pg', 'DATABASE_URL', () => import('pg'))
  // PostgreSQL sends both as text, because they may exceed a double. The service's own never do.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.NUMERIC, Number)
  const options = {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    idle_in_transaction_session_timeout: PAUSE_MS,
    keepAlive: true,
    application_name: 'svc-audio',
    types,
  }
  const pool = new pg.Pool(options)
  pool.on('error', onError)
  // The pool listens to idle connections only. A server that stops writes to a connection in use too, between two
  // queries; its next query fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    Client: pg.Client,
    options,
    connect: async () => guarded(await connect(pool)),
    end: () => pool.end(),
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new DatabaseUnavailableError({ cause: error })
  }
}

/**
 * A connection that is closed when an answer is late: the answer would be taken for the next query's. A connection that
 * breaks before anything can be stored is reported as such. Whether a lone write or a commit was stored is not known.
 */
function guarded(client: PoolClient): PostgresPoolClient {
  let late = false
  let open = false
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    if (text === 'begin') open = true
    const stores = text === 'commit' || (!open && !/^\s*(?:begin|select)\b/i.test(text))
    try {
      return await client.query(text, [...values])
    } catch (error) {
      late ||= error instanceof Error && error.message === 'Query read timeout'
      throw isBroken(error) && !stores ? new DatabaseUnavailableError({ cause: error }) : error
    } finally {
      if (text === 'commit' || text === 'rollback') open = false
    }
  }
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the driver has no cursors, and its rows are the query's
    query: query as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || late),
  }
}

/** Whether the connection or the server has ended. Errors of a query have a severity. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && (!('severity' in error) || /^(?:08|57P)/.test(errorCode(error)))
}
