import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { WORK_CLASSES } from '../../domain/task-kinds.ts'
import type { Lease, ReleaseOptions, StoredTask, TaskStore } from '../../ports/task-store.ts'
import type { StoresOptions } from '../sql/stores.ts'
import { type ClaimedJob, claimFromRows, expireRequests, taskFromRow, type TaskRow } from '../sql/task-rows.ts'
import { acceptTask, insertWork } from './accept-task.ts'
import { momentOf, type Now, type PostgresDatabase, timeOf } from './database.ts'
import { cancelTask, endTask, expireInputs, forgetTasks, inputsInUse, resultsInUse } from './end-task.ts'
import { estimateBacklog, estimateQueue, listTasks } from './queue-reads.ts'

/** Options of {@link createTaskStore}. */
export interface TaskStoreOptions extends StoresOptions {
  /** @default the clock of the database */
  readonly now?: Now | undefined
  /** Notes the responses of the database. While it is not steady, lapsed leases stay. @default it is always steady */
  readonly contact?: DatabaseContact | undefined
}

/** What the function that claims returns: columns of the task and of its job. */
type ClaimRow = TaskRow & ClaimedJob

/** The row of a claim that found its shares taken by other claims: all columns are null. */
type Contended = Readonly<Record<keyof ClaimRow, null>>

/** How often a claim is repeated that found its shares taken by others. Its worker asks again within a second. */
const MOST_REPEATS = 5

/**
 * Tasks in PostgreSQL. Every change is one statement or one short transaction, so that a process that stops in the
 * middle holds no lock for long.
 */
export function createTaskStore(database: PostgresDatabase, options: TaskStoreOptions = {}): TaskStore {
  const { now, atOncePerTenant: max = Number.MAX_SAFE_INTEGER, storeFailedRequests: storeRequest = true } = options
  const { contact } = options
  const unanswered = new UnansweredClaims((ids) => returnClaims(database, ids))
  return {
    accept: (order) => acceptTask(database, order, now),
    async begin(task, milliseconds) {
      await insertWork(database, task, { status: 'PROCESSING', lease: milliseconds, cost: 0 }, now)
      return { taskId: task.id, token: 1 }
    },
    list: (tenant, query) => listTasks(database, tenant, query),
    async find(tenant, id) {
      const query = database.selectFrom('tasks').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : taskFromRow(row)
    },
    async claim(milliseconds, { workClasses = WORK_CLASSES, suspects = false } = {}) {
      if (suspects) return undefined
      for (let repeats = 0; repeats <= MOST_REPEATS; repeats += 1) {
        const { rows } = await unanswered.claim((id) =>
          sql<ClaimRow | Contended>`
            SELECT * FROM svc_audio.claim_tasks(
              ${momentOf(now)}, ${milliseconds}, ${max}, ${[...workClasses]}::text[], 1, ${id}::uuid, ${repeats > 0},
              ${contact?.isSteady ?? true})`.execute(database),
        )
        contact?.note()
        const [row] = rows
        if (row === undefined) return undefined
        if (row.id !== null) return claimFromRows(row, row)
      }
      return undefined
    },
    async renew(lease, milliseconds) {
      const isHeld = await renewLease(database, lease, sql<number>`${timeOf(now)} + ${milliseconds}`)
      contact?.note()
      return isHeld
    },
    succeed: (lease, result, work) =>
      endTask(database, lease, { status: 'SUCCESS', result: JSON.stringify(result), error: null, work }, now),
    fail: (lease, error, work) =>
      endTask(
        database,
        lease,
        { status: 'FAILED', result: null, error: JSON.stringify(error), work, storeRequest },
        now,
      ),
    cancel: (tenant, id, error) => cancelTask(database, { tenant, id, error: JSON.stringify(error) }, now),
    release: (lease, releaseOptions) => releaseTask(database, lease, { ...releaseOptions, now }),
    async dropLeases() {
      const update = database.updateTable('jobs').set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
      // A claim has returned a job with a lapsed lease to the queue: its holder must not release it any more.
      await update.where('lease_ms', 'is', null).where('token', '>', 0).execute()
      const { numUpdatedRows } = await update.where('lease_ms', 'is not', null).executeTakeFirst()
      return Number(numUpdatedRows)
    },
    countSuspects: async () => 0,
    expireInputs: (expiry, error) => expireInputs(database, { expiry, error }, now),
    backlog: async (workClass) =>
      estimateBacklog(database, { workClass, now: await readMoment(database, now), atOncePerTenant: max }),
    queue: async (failedSince) => estimateQueue(database, { now: await readMoment(database, now), failedSince }),
    retry: (tenant, id, newId) => retryTask(database, { tenant, id, newId }, now),
    expireRequests: (expiry) => expireRequests(database.$pickTables<'failed_requests'>(), expiry),
    inputsInUse: (names) => inputsInUse(database, names),
    resultsInUse: (names) => resultsInUse(database, names),
    forget: (expiry) => forgetTasks(database, expiry),
  }
}

/** @returns Whether the lease still stood */
async function renewLease(database: PostgresDatabase, { taskId, token }: Lease, until: RawBuilder<number>) {
  const update = database.updateTable('jobs').set({ lease_ms: until })
  const own = update.where('task_id', '=', taskId).where('token', '=', token)
  return (await own.executeTakeFirst()).numUpdatedRows > 0n
}

/** Milliseconds since 1970. */
async function readMoment(database: PostgresDatabase, now: Now | undefined): Promise<number> {
  const { rows } = await sql<{ ms: number }>`SELECT ${timeOf(now)} AS ms`.execute(database)
  return rows[0]?.ms ?? 0
}

/** Moves the request of a failed task to a new task. */
function retryTask(
  database: PostgresDatabase,
  { tenant, id, newId }: { readonly tenant: string; readonly id: string; readonly newId: string },
  now?: Now,
): Promise<StoredTask | undefined> {
  return database.transaction().execute(async (transaction) => {
    const stored = await transaction
      .deleteFrom('failed_requests')
      .where('task_id', '=', id)
      .where('tenant', '=', tenant)
      .returning(['request', 'input'])
      .executeTakeFirst()
    if (stored === undefined) return undefined
    const row = await transaction.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const { kind, model, trace, webhookUrl } = taskFromRow(row)
    const task = { id: newId, tenant, kind, model, ...(trace === undefined ? {} : { trace }) }
    const { request, input } = stored
    const work = {
      status: 'PENDING',
      request,
      input: input ?? undefined,
      webhookUrl,
      cost: row.cost ?? undefined,
    } as const
    return insertWork(transaction, task, work, now)
  })
}

/** Returns a task to the queue, and the cost of an attempt that does not count to its tenant. */
async function releaseTask(
  database: PostgresDatabase,
  { taskId, token }: Lease,
  { delay = 0, counts = true, now }: ReleaseOptions & { readonly now: Now | undefined },
): Promise<boolean> {
  // The new token ends the lease. It must have no effect from now on, even before another worker has one.
  const { rows } = await sql<{ task_id: string }>`
    WITH job AS (
      UPDATE svc_audio.jobs SET lease_ms = NULL, due_ms = ${timeOf(now)} + ${delay}, token = token + 1,
        attempts = attempts - ${counts ? 0 : 1}
      WHERE task_id = ${taskId} AND token = ${token} RETURNING task_id, tenant, kind, cost
    ), refund AS (${refundOf(!counts)}) SELECT task_id FROM job`.execute(database)
  return rows.length > 0
}

/**
 * Returns jobs of claims that nobody has heard of to the queue, as if they had never been claimed.
 * @returns The ids of those claims
 */
async function returnClaims(database: PostgresDatabase, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ claim: string }>`
    WITH held AS (
      SELECT sequence, claim FROM svc_audio.jobs WHERE lease_ms IS NOT NULL AND claim = ANY (${[...ids]}::uuid[]) FOR UPDATE
    ), job AS (
      UPDATE svc_audio.jobs SET lease_ms = NULL, token = token + 1, attempts = attempts - 1, claim = NULL
      FROM held WHERE jobs.sequence = held.sequence RETURNING held.claim, tenant, kind, cost
    ), refund AS (${refundOf(true)}) SELECT claim FROM job`.execute(database)
  return rows.map(({ claim }) => claim)
}

/** Returns the cost of jobs to the accounts of their tenants: a part of a statement that has `job`. */
function refundOf(applies: boolean): RawBuilder<unknown> {
  return sql`
      UPDATE svc_audio.shares SET spent = greatest(spent - job.cost, svc_audio.reached_in(shares.work_class)) FROM job
      WHERE ${applies} AND shares.tenant = job.tenant AND shares.work_class = svc_audio.work_class_of(job.kind)`
}

/** A longer time without a response of the database may have been a pause, in milliseconds. Leases are renewed more often. */
const CONTACT_GAP_MS = 15_000

/**
 * Time after a pause in which a process returns no lapsed lease to the queue, in milliseconds. It exceeds the longest
 * wait for a response and a second: each living worker has renewed its leases by then.
 */
export const PAUSE_GRACE_MS = 20_000

/**
 * Tells whether the database has responded to this process without a pause for a while. After a pause, leases have lapsed
 * although their holders live: for them, the pause costs no attempt and no task. A process that has just started knows
 * of no time before its start.
 */
export class DatabaseContact {
  readonly #clock: () => number
  #last = -Infinity
  #since = Infinity

  /** @param clock Milliseconds of a steady clock. @default that of the process */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** Notes a response. */
  note(): void {
    const now = this.#clock()
    if (now - this.#last > CONTACT_GAP_MS) this.#since = now
    this.#last = now
  }

  /** Whether every response was in time for {@link PAUSE_GRACE_MS}, until now. */
  get isSteady(): boolean {
    const now = this.#clock()
    return now - this.#last <= CONTACT_GAP_MS && now - this.#since >= PAUSE_GRACE_MS
  }
}

/**
 * Time for which a claim without a response is looked for, in milliseconds. It exceeds a lease and the longest statement:
 * such a claim has no effect any more, or another worker has its job.
 */
const SEARCH_MS = 60_000

/**
 * Gives each claim an id, and returns what a claim without a response has claimed: before the next claim, so that the job
 * neither waits for the end of a lease that nobody holds nor loses an attempt. A claim may still be on its way when the
 * next one begins. It is therefore looked for until it is found, or {@link SEARCH_MS} have passed.
 */
export class UnansweredClaims {
  readonly #giveBack: (ids: readonly string[]) => Promise<readonly string[]>
  readonly #clock: () => number
  /** When the search for each claim ends. */
  readonly #lost = new Map<string, number>()

  /**
   * @param giveBack Returns the jobs of claims to the queue. Resolves to the claims that had some
   * @param clock Milliseconds of a steady clock. @default that of the process
   */
  constructor(
    giveBack: (ids: readonly string[]) => Promise<readonly string[]>,
    clock: () => number = () => performance.now(),
  ) {
    this.#giveBack = giveBack
    this.#clock = clock
  }

  /** Makes a claim. @throws What the claim throws, or the return of an earlier one */
  async claim<T>(call: (id: string) => Promise<T>): Promise<T> {
    if (this.#lost.size > 0) await this.#search()
    const id = randomUUID()
    try {
      return await call(id)
    } catch (error) {
      this.#lost.set(id, this.#clock() + SEARCH_MS)
      throw error
    }
  }

  async #search(): Promise<void> {
    for (const id of await this.#giveBack([...this.#lost.keys()])) this.#lost.delete(id)
    for (const [id, end] of this.#lost) if (end <= this.#clock()) this.#lost.delete(id)
  }
}
