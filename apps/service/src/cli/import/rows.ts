import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { sql } from 'kysely'
import type { PostgresDatabase } from '../../drivers/postgres/database.ts'
import { UsageError } from '../errors.ts'

/** A row of the folder. */
export type Row = Record<string, SQLOutputValue>

const ROWS_AT_ONCE = 500

/** Options of {@link copyRows}. */
export interface CopyOptions {
  readonly target: PostgresDatabase
  readonly table: ImportedTable
  /** Changes a row on its way. @default rows are copied unchanged */
  readonly change?: ((row: Row) => Row) | undefined
}

/**
 * Copies the rows of a table that the cluster does not have yet, and compares every row with its copy.
 * @returns The number of rows in the folder, all of which the cluster now has.
 * @throws UsageError when the cluster has another row of the same key
 */
export async function copyRows(
  source: DatabaseSync,
  { target, table, change = (row) => row }: CopyOptions,
): Promise<number> {
  let count = 0
  let batch: Row[] = []
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    await insert(target, table, batch)
    await compare(target, table, batch)
    count += batch.length
    batch = []
  }
  for (const row of source.prepare(table.select).iterate()) {
    batch.push(change(row))
    if (batch.length === ROWS_AT_ONCE) await flush()
  }
  await flush()
  return count
}

/** The rows go as one JSON value, which the database takes apart by the types of its own columns. */
async function insert(target: PostgresDatabase, { name, columns }: ImportedTable, rows: readonly Row[]): Promise<void> {
  const to = sql.table(`svc_audio.${name}`)
  const listed = sql.join(columns.map((column) => sql.ref(column)))
  await sql`INSERT INTO ${to} (${listed})
    SELECT ${listed} FROM json_populate_recordset(NULL::${to}, ${JSON.stringify(rows.map(storable))}::json)
    ON CONFLICT DO NOTHING`.execute(target)
}

async function compare(target: PostgresDatabase, table: ImportedTable, rows: readonly Row[]): Promise<void> {
  const { name, key, columns } = table
  const from = sql.table(`svc_audio.${name}`)
  const on = sql.join(
    key.map((column) => sql`copies.${sql.ref(column)} = given.${sql.ref(column)}`),
    sql` AND `,
  )
  const keys = JSON.stringify(rows.map(storable))
  const copied = columns.map((column) => sql`copies.${sql.ref(column)}`)
  const { rows: copies } = await sql<Row>`
    SELECT ${sql.join(copied)} FROM json_populate_recordset(NULL::${from}, ${keys}::json) AS given
    JOIN ${from} AS copies ON ${on}`.execute(target)
  const found = new Map(copies.map((row) => [keyOf(table, row), digestOf(table, row)]))
  for (const row of rows.map(storable)) {
    const id = keyOf(table, row)
    if (found.get(id) === digestOf(table, row)) continue
    const shown = name === 'api_keys' || name === 'secrets' ? '' : ` ${id}`
    throw new UsageError(
      `The cluster has another row${shown} in ${name}: import into a database that only import has filled`,
    )
  }
}

function keyOf({ key }: ImportedTable, row: Row): string {
  return key.map((column) => String(row[column])).join(' ')
}

function digestOf({ columns }: ImportedTable, row: Row): string {
  return JSON.stringify(columns.map((column) => row[column]))
}

/** PostgreSQL stores every character but U+0000. */
function storable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
    ]),
  )
}

/** A table that is copied, with the same columns in both databases unless {@link ImportedTable.select} says more. */
interface ImportedTable {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Query of the rows in SQLite, in the order of their creation. */
  readonly select: string
}

function imported(
  name: string,
  key: readonly string[],
  columns: readonly string[],
  { order = key.join(', '), select }: { readonly order?: string; readonly select?: string } = {},
): ImportedTable {
  return { name, key, columns, select: select ?? `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order}` }
}

const TASK = [
  'id',
  'tenant',
  'kind',
  'status',
  'model',
  'created_at',
  'updated_at',
  'result',
  'error',
  'webhook_url',
  'trace',
  'cost',
]
const JOB = ['task_id', 'tenant', 'kind', 'request', 'input', 'token', 'attempts', 'due_ms', 'created_ms', 'cost']
const CALL = ['id', 'task_id', 'tenant', 'url', 'status', 'attempts', 'token', 'due_ms', 'outcome', 'created_ms']

const USAGE_KEY = ['day', 'tenant', 'kind', 'slot']
const USAGE_SUMS = ['requests', 'succeeded', 'failed', 'characters', 'speech_ms', 'recording_ms', 'stored_bytes']
const USAGE = [...USAGE_KEY, ...USAGE_SUMS]

/** Every table, those that others refer to first. No service runs, so no lease is copied. */
export const IMPORTED_TABLES: readonly ImportedTable[] = [
  imported('api_keys', ['hash'], ['hash', 'tenant', 'created_at', 'expires_at', 'used_at']),
  imported('secrets', ['name'], ['name', 'value', 'expires_at']),
  imported('suspensions', ['tenant'], ['tenant', 'since']),
  imported('tasks', ['id'], TASK, { order: 'sequence' }),
  imported('jobs', ['task_id'], JOB, {
    select: `SELECT ${JOB.map((column) => (column === 'kind' ? 'tasks.kind' : `jobs.${column}`)).join(', ')}
      FROM jobs JOIN tasks ON tasks.id = jobs.task_id ORDER BY jobs.sequence`,
  }),
  imported('failed_requests', ['task_id'], ['task_id', 'tenant', 'request', 'input', 'failed_ms']),
  imported('files', ['id'], ['id', 'tenant', 'filename', 'purpose', 'bytes', 'created_at'], { order: 'sequence' }),
  imported('idempotency_keys', ['tenant', 'key'], ['tenant', 'key', 'fingerprint', 'task_id', 'file_id']),
  imported('responses', ['tenant', 'key'], ['tenant', 'key', 'fingerprint', 'response', 'stored_ms']),
  imported('voices', ['id'], ['id', 'tenant', 'name', 'description', 'status', 'parameters', 'created_at'], {
    order: 'sequence',
  }),
  imported('webhooks', ['id'], CALL),
  imported('objects', ['area', 'name'], ['area', 'name', 'tenant', 'bytes']),
  imported('usage', USAGE_KEY, USAGE),
]
