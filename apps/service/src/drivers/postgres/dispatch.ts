import type { Client } from 'pg'
import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { Dispatch, WorkKind } from '../../ports/processes.ts'
import { loadOptional } from '../load-optional.ts'
import type { PostgresDatabase } from './database.ts'
import { databaseHosts } from './hosts.ts'

/** Options of {@link openPostgresDispatch}. */
export interface PostgresDispatchOptions {
  readonly database: PostgresDatabase
  /** Address of the database. Listening needs a connection of its own. */
  readonly url: string
  readonly clock: Clock
  /** Is told why the connection ended. It is opened again. */
  readonly onError: (error: unknown) => void
}

/** A {@link Dispatch} with a connection to close. */
export interface PostgresDispatch extends Dispatch {
  close(): Promise<void>
}

const CHANNEL = 'svc_audio'
const CONNECT_MS = 5000

/** Time until a lost connection is opened again, in milliseconds. */
const RECONNECT_MS = 1000

/** Interval of the checks for a connection that is dead but not closed, in milliseconds. */
const CHECK_MS = 15_000

/**
 * Number of processes that an announcement wakes, about. All of a thousand idle processes would ask the database for
 * the one task. The others find it by their polls, should these be busy.
 */
const WOKEN = 10

const COUNT = `SELECT count(*)::integer AS count FROM pg_stat_activity
  WHERE application_name = 'svc-audio dispatch' AND datname = current_database()`

/**
 * Dispatch between processes by `LISTEN` and `NOTIFY`. A lost announcement only costs the interval of the polls. Many
 * announcements within one round trip are sent as one.
 */
export async function openPostgresDispatch(options: PostgresDispatchOptions): Promise<PostgresDispatch> {
  const { default: pg } = await loadOptional('pg', 'DATABASE_URL', () => import('pg'))
  const hosts = databaseHosts(options.url)
  const connect = (): Client => {
    const { url } = hosts
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
      application_name: 'svc-audio dispatch',
    })
    // The next connection tries the next host.
    client.on('error', () => hosts.leave(url))
    client.on('end', () => hosts.leave(url))
    return client
  }
  const dispatch = new NotifyDispatch(connect, options)
  await dispatch.open()
  return dispatch
}

class NotifyDispatch implements PostgresDispatch {
  readonly #connect: () => Client
  readonly #options: PostgresDispatchOptions
  readonly #listeners: Record<WorkKind, Set<() => void>> = { task: new Set(), webhook: new Set() }
  readonly #unsent = new Set<WorkKind>()
  #sending: Promise<void> | undefined
  #client: Client | undefined
  #cancel: (() => void) | undefined
  #closed = false
  /** Processes that listen. */
  #processes = 1

  constructor(connect: () => Client, options: PostgresDispatchOptions) {
    this.#connect = connect
    this.#options = options
  }

  announce(kind: WorkKind): void {
    this.#wake(kind)
    this.#unsent.add(kind)
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
    })
  }

  listen(kind: WorkKind, run: () => void): () => void {
    this.#listeners[kind].add(run)
    return () => this.#listeners[kind].delete(run)
  }

  /** Listens. Retries until it succeeds. */
  async open(): Promise<void> {
    if (this.#closed) return
    const client = this.#connect()
    this.#client = client
    client.on('notification', ({ payload }) => {
      if (Math.random() >= WOKEN / this.#processes) return
      if (payload === 'task' || payload === 'webhook') this.#wake(payload)
    })
    // The client's `end` follows each error.
    client.on('error', (error) => this.#options.onError(error))
    client.on('end', () => this.#retry(client))
    try {
      await client.connect()
      // A standby refuses it: nobody announces there.
      await client.query(`LISTEN ${CHANNEL}`)
      await this.#count(client)
    } catch (error) {
      if (!this.#closed) this.#options.onError(error)
      void client.end().catch(() => {})
      this.#retry(client)
      return
    }
    // Announcements may have been lost in the meantime.
    this.#wake('task')
    this.#wake('webhook')
    this.#plan(CHECK_MS, () => void this.#check(client))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.#sending
    await this.#client?.end()
  }

  async #check(client: Client): Promise<void> {
    try {
      await this.#count(client)
      this.#plan(CHECK_MS, () => void this.#check(client))
    } catch (error) {
      this.#options.onError(error)
      void client.end().catch(() => {})
    }
  }

  async #count(client: Client): Promise<void> {
    const { rows } = await client.query<{ count: number }>(COUNT)
    this.#processes = Math.max(1, rows[0]?.count ?? 1)
  }

  /** Opens a new connection for this one, once. */
  #retry(client: Client): void {
    if (this.#closed || this.#client !== client) return
    this.#client = undefined
    this.#plan(RECONNECT_MS, () => void this.open())
  }

  #plan(milliseconds: number, run: () => void): void {
    this.#cancel?.()
    if (!this.#closed) this.#cancel = this.#options.clock.setTimer(milliseconds, run)
  }

  #wake(kind: WorkKind): void {
    for (const run of this.#listeners[kind]) run()
  }

  async #send(): Promise<void> {
    while (this.#unsent.size > 0) {
      const kinds = [...this.#unsent]
      this.#unsent.clear()
      const notify = sql`SELECT pg_notify(${CHANNEL}, kind) FROM unnest(${kinds}::text[]) AS kind`
      // The listeners poll too.
      await notify.execute(this.#options.database).catch(() => {})
    }
  }
}
