import type { Client } from 'pg'
import { loadOptional } from '../load-optional.ts'
import { databaseHosts } from './hosts.ts'
import { CONNECT_MS } from './pool.ts'

/** What is between a process and PostgreSQL. */
export type Pooler = 'none' | 'session' | 'transaction'

/**
 * Finds out whether a connection pooler is between, and its mode. A pooler in session mode gives each client a server
 * process for its whole life, one in transaction mode for a transaction at a time.
 * @throws What the driver throws
 */
export async function findPooler(address: string): Promise<Pooler> {
  const { default: pg } = await loadOptional('pg', 'DATABASE_URL', () => import('pg'))
  const { url: connectionString } = databaseHosts(address)
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
