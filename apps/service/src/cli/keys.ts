import { LINK_SECRET } from '../domain/result-links.ts'
import { createWebhookSecrets, webhookSecretName, webhookSecretText } from '../drivers/sql/secret-store.ts'
import { TooManyKeysError } from '../ports/key-store.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './errors.ts'
import { isoTime, jsonText, type ListFormat, table } from './list-format.ts'
import { requireTenant, type StoreOptions, type TenantOptions, withStores } from './with-stores.ts'

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

const HOUR_SECONDS = 3600

/**
 * Makes another key for the tenant of a key. The old one works for some more hours.
 * @throws UsageError when no key has that id
 */
export function rotateKey(options: StoreOptions, id: string, hours: number): Promise<string> {
  return withAudit(options, { action: 'rotateKey', id }, async ({ keys }, about) => {
    const made = await keys.rotate(id, hours * HOUR_SECONDS)
    if (made === undefined) throw new UsageError(`No key has the id ${id}: keys list shows the ids`)
    about({ id: made.id })
    return `id        ${made.id}\nAPI key   ${made.key}\nThe key is shown once. Key ${id} works for ${hours} more hours.\n`
  })
}

/** Replaces a tenant's webhook secret. Both sign for some hours. */
export function rotateWebhookSecret(options: TenantOptions, tenant: string, hours: number): Promise<string> {
  return withAudit(options, { action: 'rotateWebhookSecret', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    const secret = await stores.secrets.rotate(webhookSecretName(tenant), hours * HOUR_SECONDS)
    return `${webhookSecretText(secret)}\nThe former secret signs too for ${hours} more hours.\n`
  })
}

/** Replaces the secret that signs links to results. Former links work for some hours. */
export function rotateLinks(options: StoreOptions, hours: number): Promise<string> {
  return withAudit(options, { action: 'rotateLinks' }, async ({ secrets }) => {
    await secrets.rotate(LINK_SECRET, hours * HOUR_SECONDS)
    return `The service signs links with a new secret within a minute. Former links work for ${hours} more hours.\n`
  })
}

/** Starts or ends a drain, of all processes of a cluster. Returns the number of open tasks. */
export function drain(options: StoreOptions, on: boolean): Promise<string> {
  return withAudit(options, { action: on ? 'beginDrain' : 'endDrain' }, async ({ keys, storeMetrics }) => {
    await keys.suspend(DRAIN, on)
    if (!on) return 'The service accepts work again within a second.\n'
    const { tasks } = await storeMetrics.read()
    return `The service accepts no new work within a second. Open tasks: ${tasks.PENDING + tasks.PROCESSING}.\n`
  })
}
