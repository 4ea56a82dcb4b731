import { TooManyKeysError } from '../ports/key-store.ts'
import { createWebhookSecrets } from '../drivers/sql/secret-store.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './usage-error.ts'
import { requireTenant, type TenantOptions } from './known-tenant.ts'
import { isoTime, jsonText, type ListFormat, table } from './list-format.ts'
import { type StoreOptions, withStores } from './with-stores.ts'

const DAY_SECONDS = 86_400

/**
 * Makes a key. Returns its id, the key and the webhook secret of its tenant, as text to print.
 * @throws UsageError when the tenant has the maximum of keys
 */
export function createKey(options: StoreOptions, tenant: string, days?: number): Promise<string> {
  return withAudit(
    options,
    { action: 'createKey', tenant },
    async ({ keys, secrets }, about) => {
      const { id, key } = await keys.create(tenant, days === undefined ? undefined : days * DAY_SECONDS).catch(refuse)
      about({ id })
      const secret = await createWebhookSecrets(secrets).secretOf(tenant)
      const expiry = days === undefined ? 'never' : isoTime(Date.now() / 1000 + days * DAY_SECONDS)
      const lines = [`id        ${id}`, `API key   ${key}`, `webhooks  ${secret}`, `expires   ${expiry}`]
      return `${lines.join('\n')}\nThe key is shown once. The service stores only its hash.\n`
    },
    { make: true },
  )
}

function refuse(error: unknown): never {
  throw error instanceof TooManyKeysError ? new UsageError(`${error.message} (see keys list)`) : error
}

/** Lists the stored keys: id, tenant, times. */
export function listKeys(options: StoreOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, async (stores) => {
    const keys = await stores.keys.list()
    if (json) {
      return jsonText({
        keys: keys.map(({ id, tenant, createdAt, expiresAt, usedAt }) => ({
          id,
          tenant,
          created_at: isoTime(createdAt),
          used_at: isoTime(usedAt) ?? null,
          expires_at: isoTime(expiresAt) ?? null,
        })),
      })
    }
    if (keys.length === 0)
      return `This ${options.databaseUrl === undefined ? 'folder' : 'database'} has no stored keys.\n`
    return table(
      keys.map(({ id, tenant, createdAt, expiresAt, usedAt }) => [
        id,
        tenant,
        `made ${isoTime(createdAt) ?? ''}`,
        `used ${isoTime(usedAt) ?? 'never'}`,
        `expires ${isoTime(expiresAt) ?? 'never'}`,
      ]),
    )
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
 * @throws UsageError for an unknown tenant
 */
export function readWebhookSecret(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'showWebhookSecret', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    return `${await createWebhookSecrets(stores.secrets).secretOf(tenant)}\n`
  })
}
