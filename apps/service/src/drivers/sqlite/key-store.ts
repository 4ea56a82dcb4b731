import { hash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import type { WebhookSecrets } from '../../ports/webhook-sender.ts'
import type { ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'

/** A stored key. Keys are long and random, so a plain hash cannot be reversed. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** Id of a key in lists: the beginning of its hash, too short to search for the key. */
const ID_LENGTH = 12

/** Makes a key: 192 random bits. */
export function newKey(): string {
  return `svca_${randomBytes(24).toString('base64url')}`
}

/**
 * Keys in SQLite.
 * @param given Keys from the environment: a map from key to tenant. They are valid beside the stored ones and never
 * stored.
 */
export function createKeyStore(database: ServiceDatabase, given: ReadonlyMap<string, string>): KeyStore {
  const kept = database.prepared(database.selectFrom('api_keys').select('tenant').where('hash', '=', ''))
  return {
    async tenantOf(key) {
      return given.get(key) ?? kept(hashKey(key))[0]?.tenant
    },
    async create(tenant) {
      const key = newKey()
      const hashed = hashKey(key)
      await database.insertInto('api_keys').values({ hash: hashed, tenant, created_at: unixSeconds() }).execute()
      return { id: hashed.slice(0, ID_LENGTH), key }
    },
    async list() {
      const rows = await database.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('hash').execute()
      return rows.map(({ hash: hashed, tenant, created_at: createdAt }) => ({
        id: hashed.slice(0, ID_LENGTH),
        tenant,
        createdAt,
      }))
    },
    async delete(id) {
      const named = sql<string>`substr(hash, 1, ${ID_LENGTH})`
      const { numDeletedRows } = await database.deleteFrom('api_keys').where(named, '=', id).executeTakeFirst()
      return numDeletedRows > 0n
    },
    async count() {
      const { count } = await database
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return given.size + count
    },
  }
}

/** Random values stored under a name. */
export interface SecretStore {
  /** Returns the value of a name: 256 random bits in base64url. The first use makes it. */
  named(name: string): Promise<string>
}

/** Secrets in SQLite. */
export function createSecretStore(database: Kysely<Tables>): SecretStore {
  return {
    async named(name) {
      const value = randomBytes(32).toString('base64url')
      await database
        .insertInto('secrets')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const row = await database
        .selectFrom('secrets')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return row.value
    },
  }
}

/** Webhook secrets. They are stored in clear, because they sign every call. */
export function createWebhookSecrets(secrets: SecretStore): WebhookSecrets {
  return {
    async secretOf(tenant) {
      const secret = await secrets.named(`webhooks:${tenant}`)
      return `whsec_${Buffer.from(secret, 'base64url').toString('base64')}`
    },
  }
}
