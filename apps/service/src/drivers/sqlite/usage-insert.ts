import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'
import { type AddedUsage, usageColumns, usageInsert } from '../sql/usage-store.ts'
import type { UsageTables } from '../sql/tables.ts'

/** Prepares the addition of amounts to a sum. Call the result within a transaction. */
export function createUsageInsert(database: ServiceDatabase): (row: AddedUsage) => void {
  type Columns = { readonly [Name in keyof UsageTables['usage']]: UsageTables['usage'][Name] }
  const add = database.written((given: Given<Columns>) =>
    usageInsert(database.$pickTables<'usage' | 'usage_batches'>(), [
      {
        day: given('day'),
        tenant: given('tenant'),
        kind: given('kind'),
        slot: given('slot'),
        requests: given('requests'),
        succeeded: given('succeeded'),
        failed: given('failed'),
        characters: given('characters'),
        speech_ms: given('speech_ms'),
        recording_ms: given('recording_ms'),
        stored_bytes: given('stored_bytes'),
      },
    ]),
  )
  return (row) => void add(usageColumns(row))
}
