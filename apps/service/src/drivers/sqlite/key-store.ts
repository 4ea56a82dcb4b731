import { hash, randomBytes } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import { isSealed, type SecretCipher } from '../../domain/secret-cipher.ts'
import {
  KEYS_PER_TENANT,
  type KeyStore,
  type KnownApiKey,
  type NewApiKey,
  TooManyKeysError,
} from '../../ports/key-store.ts'
import type { WebhookSecrets } from '../../ports/webhook-sender.ts'
import type { KeyTables } from './key-tables.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'

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

/** A stored key, as a lookup returns it. */
interface KeyRow {
  readonly tenant: string
  readonly expires_at: number | null
}

/**
 * Keys in SQLite.
 * @param given Keys from the environment: a map from key to tenant. They are valid beside the stored ones and never
 * stored.
 */
export function createKeyStore(database: ServiceDatabase, given: ReadonlyMap<string, string>): KeyStore {
  const kept = database.read((of: Given<{ readonly hash: string }>) =>
    database.selectFrom('api_keys').select(['tenant', 'expires_at']).where('hash', '=', of('hash')),
  )
  return keyStoreOver(database.$pickTables<keyof KeyTables>(), { given, lookUp: (hashed) => kept({ hash: hashed })[0] })
}

/** Options of {@link keyStoreOver}. */
export interface KeyStoreParts {
  readonly given: ReadonlyMap<string, string>
  /** Finds a key by its hash. Every request needs it. */
  readonly lookUp: (hashed: string) => KeyRow | undefined | Promise<KeyRow | undefined>
}

/** Keys over the tables of any database. */
export function keyStoreOver(database: Kysely<KeyTables>, { given, lookUp }: KeyStoreParts): KeyStore {
  const idOf = sql<string>`substr(hash, 1, ${sql.lit(ID_LENGTH)})`
  // Hashed once: a hash for each request costs more than the rest of its look-up.
  const ofOptions = new Map([...given].map(([key, tenant]) => [key, { id: keyIdOf(key), tenant }]))
  return {
    idOf: keyIdOf,
    async create(tenant, lifetimeSeconds) {
      if ((await countValid(database, tenant)) >= KEYS_PER_TENANT) throw new TooManyKeysError(tenant)
      return insertKey(database, tenant, lifetimeSeconds)
    },
    find(key) {
      const ofOption = ofOptions.get(key)
      if (ofOption !== undefined) return ofOption
      const hashed = hashKey(key)
      const row = lookUp(hashed)
      return row instanceof Promise ? row.then((found) => validKey(hashed, found)) : validKey(hashed, row)
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

function validKey(hashed: string, row: KeyRow | undefined): KnownApiKey | undefined {
  if (row === undefined || (row.expires_at !== null && row.expires_at <= unixSeconds())) return undefined
  return { id: hashed.slice(0, ID_LENGTH), tenant: row.tenant }
}

async function countValid(database: Kysely<KeyTables>, tenant: string): Promise<number> {
  const { count } = await database
    .selectFrom('api_keys')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('tenant', '=', tenant)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', unixSeconds())]))
    .executeTakeFirstOrThrow()
  return count
}

async function insertKey(database: Kysely<KeyTables>, tenant: string, lifetimeSeconds?: number): Promise<NewApiKey> {
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
  /** Seals what an earlier version stored in clear. */
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
