import { TooManyKeysError } from '../ports/key-store.ts'
import { createWebhookSecrets } from '../drivers/sqlite/key-store.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './usage-error.ts'
import { type StoreOptions, withStores } from './with-stores.ts'

/**
 * Makes a key. Returns its id, the key and the webhook secret of its tenant, as text to print.
 * @throws UsageError when the tenant has the maximum of keys
 */
export function createKey(options: StoreOptions, tenant: string, days?: number): Promise<string> {
  return withAudit(
    options,
    { action: 'createKey', tenant },
    async ({ keys, secrets }, about) => {
      const { id, key } = await keys.create(tenant, days === undefined ? undefined : days * 86_400).catch(refuse)
      about({ id })
      const secret = await createWebhookSecrets(secrets).secretOf(tenant)
      return `id        ${id}\nAPI key   ${key}\nwebhooks  ${secret}\nThe key is shown once. The service stores only its hash.\n`
    },
    { make: true },
  )
}

function refuse(error: unknown): never {
  throw error instanceof TooManyKeysError ? new UsageError(`${error.message} (see keys list)`) : error
}

function iso(seconds: number | undefined): string {
  return seconds === undefined ? 'never' : new Date(seconds * 1000).toISOString()
}

/** Lists the stored keys, one for each line: id, tenant, times. */
export function listKeys(options: StoreOptions): Promise<string> {
  return withStores(options, async (stores) => {
    const keys = await stores.keys.list()
    if (keys.length === 0)
      return `This ${options.databaseUrl === undefined ? 'folder' : 'database'} has no stored keys.\n`
    const width = Math.max(...keys.map(({ tenant }) => tenant.length))
    const lines = keys.map(({ id, tenant, createdAt, expiresAt, usedAt }) => {
      const times = [`made ${iso(createdAt)}`, `used ${iso(usedAt)}`, `expires ${iso(expiresAt)}`]
      return `${id}  ${tenant.padEnd(width)}  ${times.join('  ')}\n`
    })
    return lines.join('')
  })
}

/**
 * Deletes a key. A running service refuses it from the next request on.
 * @throws UsageError when no key has that id
 */
export function deleteKey(options: StoreOptions, id: string): Promise<string> {
  return withAudit(options, { action: 'deleteKey', id }, async ({ keys }) => {
    if (await keys.delete(id)) return `Key ${id} is deleted.\n`
    throw new UsageError(`No key has the id ${id}: keys list shows the ids`)
  })
}

/**
 * Returns the secret that signs a tenant's webhooks.
 * @param given Keys from the environment: a map from key to tenant.
 * @throws UsageError when the tenant has no key
 */
export function readWebhookSecret(
  options: StoreOptions,
  tenant: string,
  given: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  return withAudit(options, { action: 'showWebhookSecret', tenant }, async ({ keys, secrets }) => {
    const kept = await keys.list()
    const tenants = new Set([...given.values(), ...kept.map((key) => key.tenant)])
    if (!tenants.has(tenant)) throw new UsageError(`${tenant} has no API key here: keys list shows the tenants`)
    return `${await createWebhookSecrets(secrets).secretOf(tenant)}\n`
  })
}
