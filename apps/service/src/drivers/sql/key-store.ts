import { hash, randomBytes } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import {
  KEYS_PER_TENANT,
  type KeyStore,
  type KnownApiKey,
  type NewApiKey,
  TooManyKeysError,
} from '../../ports/key-store.ts'
import type { KeyTables } from './tables.ts'
import type { Given, SharedDatabase, SharedTables } from './shared-database.ts'

/** A stored key. Keys are long and random, so a plain hash cannot be reversed. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** Id of a key in lists: the beginning of its hash, too short to search for the key. */
const ID_LENGTH = 12

function keyIdOf(key: string): string {
  return hashKey(key).slice(0, ID_LENGTH)
}

/** Makes a key: 192 random bits. */
export function newKey(): string {
  return `svca_${randomBytes(24).toString('base64url')}`
}

/**
 * Keys, by their hashes.
 * @param given Keys from the environment: a map from key to tenant. They are valid beside the stored ones and never
 * stored.
 */
export function createKeyStore(shared: SharedDatabase, given: ReadonlyMap<string, string>): KeyStore {
  const { tables: database } = shared
  const idOf = sql<string>`substr(hash, 1, ${sql.lit(ID_LENGTH)})`
  // Hashed once: a hash for each request costs more than the rest of its look-up.
  const ofOptions = new Map([...given].map(([key, tenant]) => [key, { id: keyIdOf(key), tenant }]))
  const findStored = storedKeys(shared)
  return {
    idOf: keyIdOf,
    async create(tenant, lifetimeSeconds) {
      if ((await countValid(database, tenant)) >= KEYS_PER_TENANT) throw new TooManyKeysError(tenant)
      return insertKey(database, tenant, lifetimeSeconds)
    },
    find(key) {
      return ofOptions.get(key) ?? findStored(hashKey(key))
    },
    async rotate(id, graceSeconds) {
      const until = unixSeconds() + graceSeconds
      const old = await database
        .updateTable('api_keys')
        .set((build) => ({
          expires_at: build
            .case()
            .when(build.fn.coalesce('expires_at', build.val(until)), '<', until)
            .then(build.ref('expires_at'))
            .else(until)
            .end(),
        }))
        .where(idOf, '=', id)
        .returning('tenant')
        .executeTakeFirst()
      // The old key expires soon, so a rotation may exceed the maximum for that time.
      return old === undefined ? undefined : insertKey(database, old.tenant)
    },
    async recordUse(ids) {
      if (ids.length === 0) return
      await database
        .updateTable('api_keys')
        .set({ used_at: unixSeconds() })
        .where(idOf, 'in', [...ids])
        .execute()
    },
    async list() {
      const rows = await database.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('hash').execute()
      return rows.map(keyFromRow)
    },
    async delete(id) {
      const { numDeletedRows } = await database.deleteFrom('api_keys').where(idOf, '=', id).executeTakeFirst()
      return numDeletedRows > 0n
    },
    async count() {
      const { count } = await database
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return given.size + count
    },
    async suspend(tenant, suspended) {
      if (!suspended) await database.deleteFrom('suspensions').where('tenant', '=', tenant).execute()
      else {
        const insert = database.insertInto('suspensions').values({ tenant, since: unixSeconds() })
        await insert.onConflict((conflict) => conflict.doNothing()).execute()
      }
    },
    async suspended() {
      const rows = await database.selectFrom('suspensions').select('tenant').execute()
      return new Set(rows.map(({ tenant }) => tenant))
    },
  }
}

/** Finds a stored key that is valid, by its hash. Every request needs it. */
function storedKeys(shared: SharedDatabase): (hashed: string) => ReturnType<KeyStore['find']> {
  const keptKeys = shared.read((of: Given<{ readonly hash: string }>) =>
    shared.tables.selectFrom('api_keys').select(['tenant', 'expires_at']).where('hash', '=', of('hash')),
  )
  return (hashed) => {
    const rows = keptKeys({ hash: hashed })
    return rows instanceof Promise ? rows.then(([row]) => validKey(hashed, row)) : validKey(hashed, rows[0])
  }
}

function validKey(
  hashed: string,
  row: Pick<Selectable<KeyTables['api_keys']>, 'tenant' | 'expires_at'> | undefined,
): KnownApiKey | undefined {
  if (row === undefined || (row.expires_at !== null && row.expires_at <= unixSeconds())) return undefined
  return { id: hashed.slice(0, ID_LENGTH), tenant: row.tenant }
}

async function countValid(database: Kysely<SharedTables>, tenant: string): Promise<number> {
  const { count } = await database
    .selectFrom('api_keys')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('tenant', '=', tenant)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', unixSeconds())]))
    .executeTakeFirstOrThrow()
  return count
}

async function insertKey(database: Kysely<SharedTables>, tenant: string, lifetimeSeconds?: number): Promise<NewApiKey> {
  const key = newKey()
  const hashed = hashKey(key)
  const now = unixSeconds()
  const expiry = lifetimeSeconds === undefined ? null : now + lifetimeSeconds
  await database
    .insertInto('api_keys')
    .values({ hash: hashed, tenant, created_at: now, expires_at: expiry, used_at: null })
    .execute()
  return { id: hashed.slice(0, ID_LENGTH), key }
}

function keyFromRow(row: Selectable<KeyTables['api_keys']>): Awaited<ReturnType<KeyStore['list']>>[number] {
  return {
    id: row.hash.slice(0, ID_LENGTH),
    tenant: row.tenant,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    usedAt: row.used_at ?? undefined,
  }
}
