import { sql, type Transaction } from 'kysely'
import type { PostgresTables } from './tables.ts'

/** Makes the transactions of one subject run one after another. The lock ends with the transaction. */
export async function lockSubject(
  transaction: Transaction<PostgresTables>,
  kind: 'key' | 'open tasks',
  ...subject: readonly string[]
): Promise<void> {
  const name = JSON.stringify(['svc_audio', kind, ...subject])
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
}
