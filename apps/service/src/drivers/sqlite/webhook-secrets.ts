import type { Kysely } from 'kysely'
import type { WebhookSecrets } from '../../ports/webhook-secrets.ts'
import { secretNamed } from './key-store.ts'
import type { Tables } from './tables.ts'

/** Webhook secrets in SQLite: in clear, since every call is signed with them. */
export function createWebhookSecrets(database: Kysely<Tables>): WebhookSecrets {
  return {
    async secretOf(tenant) {
      const secret = await secretNamed(database, `webhooks:${tenant}`)
      return `whsec_${Buffer.from(secret, 'base64url').toString('base64')}`
    },
  }
}
