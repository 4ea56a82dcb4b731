import { type Compilable, type Insertable, type Kysely, type RawBuilder, sql } from 'kysely'
import { NO_USAGE, type UsageAmounts, type UsageRow } from '../../domain/usage.ts'
import type { UsageStore } from '../../ports/usage-store.ts'
import type { UsageTables } from './tables.ts'

/** The amounts of a tenant, a day and a kind to add. */
export type AddedUsage = Pick<UsageRow, 'tenant' | 'day' | 'kind'> & Partial<UsageAmounts>

/** The values of a row of usage. Each is a value, or stands for one. */
export type UsageColumns =
  | Insertable<UsageTables['usage']>
  | {
      readonly [Name in keyof UsageTables['usage']]: RawBuilder<UsageTables['usage'][Name]>
    }

/** The query that adds rows to the sums. */
export function usageInsert(
  database: Pick<Kysely<UsageTables>, 'insertInto'>,
  rows: readonly UsageColumns[],
): Compilable & { execute(): Promise<unknown> } {
  return database
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['day', 'tenant', 'kind', 'slot']).doUpdateSet((column) => ({
        requests: column('usage.requests', '+', column.ref('excluded.requests')),
        succeeded: column('usage.succeeded', '+', column.ref('excluded.succeeded')),
        failed: column('usage.failed', '+', column.ref('excluded.failed')),
        characters: column('usage.characters', '+', column.ref('excluded.characters')),
        speech_ms: column('usage.speech_ms', '+', column.ref('excluded.speech_ms')),
        recording_ms: column('usage.recording_ms', '+', column.ref('excluded.recording_ms')),
        stored_bytes: column('usage.stored_bytes', '+', column.ref('excluded.stored_bytes')),
      })),
    )
}

/** Adds amounts to the sums. @param slot The part of the sums that this writer adds to. @default 0 */
export async function addUsage(
  database: Kysely<UsageTables>,
  rows: readonly AddedUsage[],
  slot: number = 0,
): Promise<void> {
  if (rows.length === 0) return
  await usageInsert(
    database,
    rows.map((row) => usageColumns(row, slot)),
  ).execute()
}

/** Makes the columns of amounts. */
export function usageColumns(row: AddedUsage, slot: number = 0): UsageTables['usage'] {
  return { ...columnsOf({ ...NO_USAGE, ...row }), slot }
}

/** Rows of one statement. SQLite accepts 32766 variables in a statement. */
const ROWS_AT_ONCE = 500

/** Usage over the tables of any database. @param slot The part of the sums that this writer adds to. @default 0 */
export function createUsageStore(database: Kysely<UsageTables>, slot: number = 0): UsageStore {
  return {
    add: ({ counter, number, rows }) =>
      database.transaction().execute(async (transaction) => {
        const [day = '1970-01-01'] = rows
          .map((row) => row.day)
          .toSorted()
          .toReversed()
        const { numInsertedOrUpdatedRows: isNew = 0n } = await transaction
          .insertInto('usage_batches')
          .values({ counter, number, day })
          .onConflict((conflict) =>
            conflict.column('counter').doUpdateSet({ number, day }).where('usage_batches.number', '<', number),
          )
          .executeTakeFirstOrThrow()
        if (isNew === 0n) return
        // Always in this order, so that two writers never wait for each other.
        const sorted = rows.toSorted((one, other) => compare(keyOf(one), keyOf(other)))
        for (let from = 0; from < sorted.length; from += ROWS_AT_ONCE) {
          await addUsage(transaction, sorted.slice(from, from + ROWS_AT_ONCE), slot)
        }
      }),
    async read({ tenant, from, to }) {
      const days = database.selectFrom('usage').where('day', '>=', from).where('day', '<=', to)
      const sums = (tenant === undefined ? days : days.where('tenant', '=', tenant))
        .select(['day', 'tenant', 'kind', sumOf('requests'), sumOf('succeeded'), sumOf('failed')])
        .select([sumOf('characters'), sumOf('speech_ms'), sumOf('recording_ms'), sumOf('stored_bytes')])
      const rows = await sums
        .groupBy(['day', 'tenant', 'kind'])
        .orderBy('day')
        .orderBy('tenant')
        .orderBy('kind')
        .execute()
      return rows.map(rowOf)
    },
    async forget({ days, counters, limit }) {
      const columns = ['day', 'tenant', 'kind', 'slot'] as const
      const old = database.selectFrom('usage').select(columns).where('day', '<', days).orderBy('day').limit(limit)
      const usage = await database
        .deleteFrom('usage')
        .where((is) => is(is.refTuple(...columns), 'in', old.$asTuple(...columns)))
        .executeTakeFirst()
      const ended = database.selectFrom('usage_batches').select('counter').where('day', '<', counters).limit(limit)
      const batches = await database.deleteFrom('usage_batches').where('counter', 'in', ended).executeTakeFirst()
      return Math.max(Number(usage.numDeletedRows), Number(batches.numDeletedRows))
    },
  }
}

type Counted = Exclude<keyof UsageTables['usage'], 'day' | 'tenant' | 'kind' | 'slot'>

/** The sum of a column. PostgreSQL sums as `numeric`, which the cast undoes. */
function sumOf<Name extends Counted>(name: Name) {
  return sql<number>`cast(sum(${sql.ref(name)}) AS bigint)`.as(name)
}

type SummedRow = Omit<UsageTables['usage'], 'slot'>

function rowOf({ speech_ms: speechMs, recording_ms: recordingMs, stored_bytes: storedBytes, ...row }: SummedRow) {
  return { ...row, speechMs, recordingMs, storedBytes }
}

function columnsOf({ speechMs, recordingMs, storedBytes, ...row }: UsageRow): SummedRow {
  return { ...row, speech_ms: speechMs, recording_ms: recordingMs, stored_bytes: storedBytes }
}

function keyOf({ day, tenant, kind }: UsageRow): string {
  return `${day} ${tenant} ${kind}`
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
