import { createVoiceStore } from '../drivers/sqlite/voice-store.ts'
import { UsageError } from './usage-error.ts'
import { withDatabase } from './with-database.ts'

/**
 * Deletes a tenant's own voice. A running service answers 404 for it from the next request on.
 * @throws UsageError when the tenant has no voice with that id
 */
export function deleteVoice(dataDir: string, tenant: string, id: string): Promise<string> {
  return withDatabase(dataDir, async (database) => {
    if (await createVoiceStore(database).delete(tenant, id)) return `Voice ${id} is deleted.\n`
    throw new UsageError(`${tenant} has no voice ${id} of its own`)
  })
}
