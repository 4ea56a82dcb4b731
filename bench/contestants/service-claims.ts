import { runMigrations, runTaskListOnce } from 'graphile-worker'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import { openPostgres } from '../../apps/service/src/drivers/postgres/database.ts'
import { migrate } from '../../apps/service/src/drivers/postgres/migrate.ts'
import { createTaskStore } from '../../apps/service/src/drivers/postgres/task-store.ts'
import { createWebhookOutbox } from '../../apps/service/src/drivers/postgres/webhook-outbox.ts'
import type { WebhookClaim } from '../../apps/service/src/ports/webhook-outbox.ts'

/** A full queue. */
export interface Load {
  /** Waiting jobs. */
  readonly jobs: number
  /** Tenants among whom they are divided. */
  readonly tenants: number
  /** Jobs in work. */
  readonly leases: number
}

/** A queue on PostgreSQL with one connection for claims. */
export interface Contestant {
  /** Finds the process of the server that ran the last claim. Idle connections close. */
  pid(): Promise<number>
  /** Empties the queue and fills it. */
  fill(load: Load): Promise<void>
  /** Claims one job. @throws when there was none */
  claim(): Promise<void>
  /** Ends the claimed jobs. Its work is not counted. @default they stay claimed */
  settle?(): Promise<void>
  close(): Promise<void>
}

const HOUR_MS = 3_600_000
const QUEUE = 'speech'

/** Claims of the service, by its own store. */
export async function ours(url: string): Promise<Contestant> {
  const database = await openPostgres({ url, connections: 1, onError: () => {} })
  await migrate(database)
  const client = await connect(url)
  const store = createTaskStore(database, { atOncePerTenant: 100_000 })
  return {
    pid: () => pidOf(client, 'svc-audio'),
    async fill({ jobs, tenants, leases }) {
      await client.query('TRUNCATE svc_audio.tasks, svc_audio.shares CASCADE')
      await client.query(
        `WITH task AS (
           INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
           SELECT 'task_' || lpad(to_hex($4::bigint + n), 12, '0') || substr(md5(random()::text), 1, 20),
             'tenant' || n % $2, 'audio.speech', 'PENDING', 'm', 0, 0
           FROM generate_series(1, $1::integer + $3::integer) AS n RETURNING id, tenant, kind
         ) INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
         SELECT id, tenant, kind, '{"text":"Hello"}', 0, 0, 0, 0, 1000 FROM task`,
        // Ids as the service makes them: in the order of time.
        [jobs, tenants, leases, Date.now()],
      )
      const claims = `SELECT count(*)::integer AS count FROM svc_audio.claim_tasks(NULL, $2, 100000, '{speech}', $1, NULL)`
      const { rows } = await client.query<{ count: number }>(claims, [leases, HOUR_MS])
      if (leases > 0 && rows[0]?.count !== leases) throw new Error(`${rows[0]?.count} jobs were leased`)
      // Thousands of claims in one transaction leave dead rows that no queue in work has. The peers' leases have none.
      await client.query('VACUUM ANALYZE svc_audio.tasks, svc_audio.jobs, svc_audio.shares, svc_audio.work_classes')
    },
    async claim() {
      const claim = await store.claim(HOUR_MS, { workClasses: ['speech'] })
      if (claim === undefined) throw new Error('The service claimed nothing')
    },
    async close() {
      await database.destroy()
      await client.end()
    },
  }
}

/** Claims of webhook calls by the service's own outbox: of a hundred calls, 99 wait for a retry to a dead receiver. */
export async function ourWebhooks(url: string): Promise<Contestant> {
  const database = await openPostgres({ url, connections: 1, onError: () => {} })
  await migrate(database)
  const client = await connect(url)
  const outbox = createWebhookOutbox(database)
  let claimed: WebhookClaim[] = []
  return {
    pid: () => pidOf(client, 'svc-audio'),
    async fill({ jobs, tenants }) {
      await client.query('TRUNCATE svc_audio.tasks, svc_audio.webhook_lanes, svc_audio.webhook_receivers CASCADE')
      // One computation for each receiver is enough, not one for each of its calls.
      await client.query('ALTER TABLE svc_audio.webhooks DISABLE TRIGGER USER')
      await client.query(
        `WITH call AS (
           SELECT 'task_' || lpad(n::text, 12, '0') AS task, 'tenant' || n % $2 AS tenant, n / $2 % 100 = 0 AS ready
           FROM generate_series(0, $1::integer - 1) AS n
         ), task AS (
           INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
           SELECT task, tenant, 'audio.speech', 'SUCCESS', 'm', 0, 0 FROM call
         ) INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
         SELECT 'call' || task, task, tenant, CASE WHEN ready THEN 'https://good.example/' ELSE 'https://dead.example/' END,
           'pending', 1, 0, CASE WHEN ready THEN 0 ELSE $3::bigint END, 0 FROM call`,
        [jobs, tenants, Date.now() + HOUR_MS],
      )
      await client.query('ALTER TABLE svc_audio.webhooks ENABLE TRIGGER USER')
      await client.query(
        `UPDATE svc_audio.webhooks SET due_ms = due_ms
         WHERE id IN (SELECT min(id) FROM svc_audio.webhooks GROUP BY tenant, receiver)`,
      )
      await client.query(
        'VACUUM ANALYZE svc_audio.tasks, svc_audio.webhooks, svc_audio.webhook_lanes, svc_audio.webhook_receivers',
      )
    },
    async claim() {
      const claim = await outbox.claim(HOUR_MS)
      if (claim === undefined) throw new Error('The outbox claimed nothing')
      claimed.push(claim)
    },
    async settle() {
      for (const claim of claimed) await outbox.record(claim, { outcome: '200', next: 'delivered' })
      claimed = []
    },
    async close() {
      await database.destroy()
      await client.end()
    },
  }
}

/** The statement that Graphile Worker sends for each job, prepared under a name as it does. */
export async function graphileWorker(url: string): Promise<Contestant> {
  await runMigrations({ connectionString: url })
  const client = await connect(url)
  const [name, values] = await captureStatement(client)
  return {
    pid: () => pidOfClient(client),
    async fill({ jobs, leases }) {
      await client.query('TRUNCATE graphile_worker._private_jobs')
      await client.query(
        `INSERT INTO graphile_worker._private_jobs (task_id, payload, locked_at, locked_by)
         SELECT task.id, '{"text":"Hello"}', CASE WHEN n <= $2 THEN now() END, CASE WHEN n <= $2 THEN 'another' END
         FROM graphile_worker._private_tasks AS task, generate_series(1, $1::integer + $2::integer) AS n
         WHERE task.identifier = $3`,
        [jobs, leases, QUEUE],
      )
      await client.query('VACUUM ANALYZE graphile_worker._private_jobs')
    },
    async claim() {
      const { rowCount } = await client.query({ ...name, values })
      if (rowCount !== 1) throw new Error('Graphile Worker claimed nothing')
    },
    close: () => client.end(),
  }
}

interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Lets the library fetch one job of an empty queue, and returns what it has sent for that. */
async function captureStatement(client: Client): Promise<[NamedStatement, unknown[]]> {
  let found: [NamedStatement, unknown[]] | undefined
  const watched = new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      if (property !== 'query') return value.bind(target)
      return (statement: Partial<NamedStatement> & { values?: unknown[] }, ...rest: unknown[]) => {
        // Other statements of the library have no name.
        if (statement.name?.startsWith('get_job') === true && statement.text !== undefined) {
          found = [{ name: statement.name, text: statement.text }, statement.values ?? []]
        }
        return Reflect.apply(value, target, [statement, ...rest])
      }
    },
  })
  // The library takes a connection of a pool, and uses its queries alone.
  await runTaskListOnce({ noHandleSignals: true }, { [QUEUE]: () => undefined }, watched as never)
  if (found === undefined) throw new Error('Graphile Worker sent no statement for a job')
  return found
}

/** Fetches of pg-boss, one job each. */
export async function pgBoss(url: string): Promise<Contestant> {
  const client = await connect(url)
  const db = {
    async executeSql(text: string, values: unknown[] = []) {
      const result = await client.query(text, values)
      return Array.isArray(result) ? (result.at(-1) as { rows: unknown[] }) : result
    },
  }
  const boss = new PgBoss({ db, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  return {
    pid: () => pidOfClient(client),
    async fill({ jobs, leases }) {
      await client.query('DELETE FROM pgboss.job')
      await client.query(
        `INSERT INTO pgboss.job (name, data, state, started_on)
         SELECT $3, '{"text":"Hello"}', (CASE WHEN n <= $2 THEN 'active' ELSE 'created' END)::pgboss.job_state,
           CASE WHEN n <= $2 THEN now() END
         FROM generate_series(1, $1::integer + $2::integer) AS n`,
        [jobs, leases, QUEUE],
      )
      await client.query('VACUUM ANALYZE pgboss.job')
    },
    async claim() {
      if ((await boss.fetch(QUEUE)).length !== 1) throw new Error('pg-boss fetched nothing')
    },
    async close() {
      await boss.stop({ graceful: false })
      await client.end()
    },
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

async function pidOfClient(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? Number.NaN
}

async function pidOf(client: Client, name: string): Promise<number> {
  const query = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1'
  const { rows } = await client.query<{ pid: number }>(query, [name])
  if (rows.length !== 1) throw new Error(`${rows.length} connections are called ${name}`)
  return rows[0]?.pid ?? Number.NaN
}
