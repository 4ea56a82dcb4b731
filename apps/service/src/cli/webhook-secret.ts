import { existsSync } from 'node:fs'
import { databasePath } from '../open-services.ts'
import { openDatabase } from '../drivers/sqlite/database.ts'
import { createWebhookSecrets } from '../drivers/sqlite/webhook-secrets.ts'
import { UsageError } from './usage-error.ts'

/**
 * The secret that a tenant's webhooks are signed with; works beside a running service.
 * @throws UsageError when no service has ever used the folder
 */
export async function readWebhookSecret(dataDir: string, tenant: string): Promise<string> {
  const path = databasePath(dataDir)
  if (!existsSync(path)) throw new UsageError(`No service has used ${dataDir} yet: choose its folder with --data-dir`)
  const database = openDatabase(path)
  try {
    return await createWebhookSecrets(database).secretOf(tenant)
  } finally {
    await database.destroy()
  }
}
