import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import { isSealed, type SecretCipher } from '../../domain/secret-cipher.ts'
import type { WebhookSecrets } from '../../ports/webhook-outbox.ts'
import type { KeyTables } from './tables.ts'

/** Random values stored under a name: 256 bits in base64url. */
export interface SecretStore {
  /** Returns the current value of a name. The first use makes it. */
  named(name: string): Promise<string>
  /** Returns the current value, then the former values that are still valid. The first use makes the current one. */
  valid(name: string): Promise<readonly string[]>
  /**
   * Replaces the value of a name. Returns the new one.
   * @param graceSeconds Time that the former value stays valid.
   */
  rotate(name: string, graceSeconds: number): Promise<string>
  /** Seals what `import` has stored in clear. */
  sealAll(): Promise<void>
}

const IN_CLEAR: SecretCipher = { seal: (_name, value) => value, unseal: (_name, value) => value }

/**
 * Secrets over the tables of any database.
 * @param cipher @default secrets are stored in clear
 */
export function createSecretStore(tables: Pick<Kysely<KeyTables>, '$pickTables'>, cipher?: SecretCipher): SecretStore {
  const database = tables.$pickTables<keyof KeyTables>()
  const sealer = cipher ?? IN_CLEAR
  const named = async (name: string): Promise<string> => {
    const value = sealer.seal(name, randomSecret())
    const insert = database.insertInto('secrets').values({ name, value, expires_at: null })
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    const row = await database.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
    return sealer.unseal(name, row.value)
  }
  return {
    named,
    async valid(name) {
      const current = await named(name)
      const former = await database.selectFrom('secrets').selectAll().where('expires_at', '>', unixSeconds()).execute()
      const own = former.filter((row) => row.name.startsWith(`${name}#`))
      return [current, ...own.map((row) => sealer.unseal(row.name, row.value))]
    },
    async rotate(name, graceSeconds) {
      const old = await named(name)
      const now = unixSeconds()
      const former = `${name}#${randomBytes(6).toString('hex')}`
      const next = randomSecret()
      await database.deleteFrom('secrets').where('expires_at', '<=', now).execute()
      await database
        .insertInto('secrets')
        .values({ name: former, value: sealer.seal(former, old), expires_at: now + graceSeconds })
        .execute()
      await database
        .updateTable('secrets')
        .set({ value: sealer.seal(name, next) })
        .where('name', '=', name)
        .execute()
      return next
    },
    async sealAll() {
      if (cipher === undefined) return
      const rows = await database.selectFrom('secrets').select(['name', 'value']).execute()
      for (const { name, value } of rows.filter((row) => !isSealed(row.value))) {
        await database
          .updateTable('secrets')
          .set({ value: cipher.seal(name, value) })
          .where('name', '=', name)
          .execute()
      }
    },
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Name of the secret that signs a tenant's webhooks. */
export function webhookSecretName(tenant: string): string {
  return `webhooks:${tenant}`
}

/** Formats a secret as receivers of webhooks expect it. */
export function webhookSecretText(secret: string): string {
  return `whsec_${Buffer.from(secret, 'base64url').toString('base64')}`
}

/** Webhook secrets over the stored secrets. */
export function createWebhookSecrets(secrets: SecretStore): WebhookSecrets {
  return {
    secretOf: async (tenant) => webhookSecretText(await secrets.named(webhookSecretName(tenant))),
    secretsOf: async (tenant) => (await secrets.valid(webhookSecretName(tenant))).map(webhookSecretText),
  }
}
