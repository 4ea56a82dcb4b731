import { webhookSecretName, webhookSecretText } from '../drivers/sql/secret-store.ts'
import { LINK_SECRET } from '../domain/result-links.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { UsageError } from './usage-error.ts'
import { withAudit } from './audited.ts'
import { requireTenant, type TenantOptions } from './known-tenant.ts'
import type { StoreOptions } from './with-stores.ts'

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
