import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { hashKey, newKey, type SecretStore } from '../sqlite/key-store.ts'
import type { PostgresDatabase } from './database.ts'

/** Id of a key in lists: the beginning of its hash, too short to search for the key. */
const ID_LENGTH = 12

/**
 * Keys in PostgreSQL.
 * @param given Keys from the environment: a map from key to tenant. They are valid beside the stored ones and never
 * stored.
 */
export function createKeyStore(database: PostgresDatabase, given: ReadonlyMap<string, string>): KeyStore {
  return {
    async tenantOf(key) {
      const known = given.get(key)
      if (known !== undefined) return known
      const query = database.selectFrom('api_keys').select('tenant').where('hash', '=', hashKey(key))
      return (await query.executeTakeFirst())?.tenant
    },
    async create(tenant) {
      const key = newKey()
      const hash = hashKey(key)
      await database.insertInto('api_keys').values({ hash, tenant, created_at: unixSeconds() }).execute()
      return { id: hash.slice(0, ID_LENGTH), key }
    },
    async list() {
      const rows = await database.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('hash').execute()
      return rows.map(({ hash, tenant, created_at: createdAt }) => ({
        id: hash.slice(0, ID_LENGTH),
        tenant,
        createdAt,
      }))
    },
    async delete(id) {
      const named = sql<string>`left(hash, ${ID_LENGTH}::integer)`
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

/** Secrets in PostgreSQL. */
export function createSecretStore(database: PostgresDatabase): SecretStore {
  return {
    async named(name) {
      const value = randomBytes(32).toString('base64url')
      const insert = database.insertInto('secrets').values({ name, value })
      await insert.onConflict((conflict) => conflict.doNothing()).execute()
      const row = await database
        .selectFrom('secrets')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return row.value
    },
  }
}
