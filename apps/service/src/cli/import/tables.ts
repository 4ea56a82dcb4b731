/** A table that is copied, with the same columns in both databases unless {@link ImportedTable.select} says more. */
export interface ImportedTable {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Query of the rows in SQLite, in the order of their creation. */
  readonly select: string
}

function table(
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
  table('api_keys', ['hash'], ['hash', 'tenant', 'created_at', 'expires_at', 'used_at']),
  table('secrets', ['name'], ['name', 'value', 'expires_at']),
  table('suspensions', ['tenant'], ['tenant', 'since']),
  table('tasks', ['id'], TASK, { order: 'sequence' }),
  table('jobs', ['task_id'], JOB, {
    select: `SELECT ${JOB.map((column) => (column === 'kind' ? 'tasks.kind' : `jobs.${column}`)).join(', ')}
      FROM jobs JOIN tasks ON tasks.id = jobs.task_id ORDER BY jobs.sequence`,
  }),
  table('failed_requests', ['task_id'], ['task_id', 'tenant', 'request', 'input', 'failed_ms']),
  table('files', ['id'], ['id', 'tenant', 'filename', 'purpose', 'bytes', 'created_at'], { order: 'sequence' }),
  table('idempotency_keys', ['tenant', 'key'], ['tenant', 'key', 'fingerprint', 'task_id', 'file_id']),
  table('responses', ['tenant', 'key'], ['tenant', 'key', 'fingerprint', 'response', 'stored_ms']),
  table('voices', ['id'], ['id', 'tenant', 'name', 'description', 'status', 'parameters', 'created_at'], {
    order: 'sequence',
  }),
  table('webhooks', ['id'], CALL),
  table('objects', ['area', 'name'], ['area', 'name', 'tenant', 'bytes']),
  table('usage', USAGE_KEY, USAGE),
]
