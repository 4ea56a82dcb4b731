import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import { AUDIT_OUTCOMES, type AuditRecord, type AuditStore, type StoredAuditRecord } from '../../ports/audit-store.ts'
import type { CommonTables } from './tables.ts'

type AuditTables = Pick<CommonTables, 'audit'>

/** Records in one insert. Each has five values, and SQLite accepts 32766. */
const ROWS_AT_ONCE = 200

/** Maximum records that one call removes. It bounds the time of its transaction. */
const EXPIRED_AT_ONCE = 5000

const Details = z.object({
  outcome: z.enum(AUDIT_OUTCOMES),
  key: z.string().optional(),
  id: z.string().optional(),
  engine: z.string().optional(),
  address: z.string().optional(),
  request: z.string().optional(),
  status: z.number().optional(),
  user: z.string().optional(),
  machine: z.string().optional(),
  count: z.number().optional(),
})

/** The audit log over the tables of any database. */
export function createAuditStore(tables: Pick<Kysely<AuditTables>, '$pickTables'>): AuditStore {
  const database = tables.$pickTables<keyof AuditTables>()
  return {
    async append(records) {
      for (let from = 0; from < records.length; from += ROWS_AT_ONCE) {
        const rows = records.slice(from, from + ROWS_AT_ONCE).map(rowOf)
        await database.insertInto('audit').values(rows).execute()
      }
    },
    async read({ tenant, action, since, until }, after, limit) {
      let query = database.selectFrom('audit').selectAll().where('sequence', '>', after)
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (action !== undefined) query = query.where('action', '=', action)
      if (since !== undefined) query = query.where('at_ms', '>=', since)
      if (until !== undefined) query = query.where('at_ms', '<', until)
      return (await query.orderBy('sequence').limit(limit).execute()).map(recordFromRow)
    },
    async expire({ before, max, operators }) {
      const old = await removeOld(database, before)
      return old + (await removeClients(database, max)) + (await removeOperators(database, operators))
    },
  }
}

/** Removes the oldest records, up to the first one that is young enough. */
async function removeOld(database: Kysely<AuditTables>, before: number): Promise<number> {
  const oldest = database.selectFrom('audit').select(['sequence', 'at_ms']).orderBy('sequence').limit(EXPIRED_AT_ONCE)
  const old = database.selectFrom(oldest.as('oldest')).select('sequence').where('at_ms', '<', before)
  const { numDeletedRows } = await database.deleteFrom('audit').where('sequence', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes clients' records that are not among the last ones. Counting them would read the whole table. */
async function removeClients(database: Kysely<AuditTables>, max: number): Promise<number> {
  const last = await database
    .selectFrom('audit')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined || last.sequence <= max) return 0
  const beyond = database
    .selectFrom('audit')
    .select('sequence')
    .where('sequence', '<=', last.sequence - max)
  return remove(database, beyond.where('actor', '=', sql.lit('client')))
}

async function removeOperators(database: Kysely<AuditTables>, max: number): Promise<number> {
  const others = database.selectFrom('audit').select('sequence').where('actor', '<>', sql.lit('client'))
  const first = await others.orderBy('sequence', 'desc').offset(max).limit(1).executeTakeFirst()
  return first === undefined ? 0 : remove(database, others.where('sequence', '<=', first.sequence))
}

type Sequences = SelectQueryBuilder<AuditTables, 'audit', { sequence: number }>

async function remove(database: Kysely<AuditTables>, sequences: Sequences): Promise<number> {
  const some = sequences.orderBy('sequence').limit(EXPIRED_AT_ONCE)
  const { numDeletedRows } = await database.deleteFrom('audit').where('sequence', 'in', some).executeTakeFirst()
  return Number(numDeletedRows)
}

function rowOf({ at, actor, action, tenant = '', ...details }: AuditRecord) {
  return { at_ms: at, actor, action, tenant, details: JSON.stringify(details) }
}

function recordFromRow(row: Selectable<AuditTables['audit']>): StoredAuditRecord {
  const { outcome, ...details } = Details.parse(JSON.parse(row.details))
  const whose = row.tenant === '' ? {} : { tenant: row.tenant }
  const { at_ms: at, actor, action } = row
  return { sequence: row.sequence, record: { at, actor, action, outcome, ...whose, ...details } }
}
