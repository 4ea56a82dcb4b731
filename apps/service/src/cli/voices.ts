import { withAudit } from './audited.ts'
import { UsageError } from './usage-error.ts'
import { requireTenant, type TenantOptions } from './known-tenant.ts'

/**
 * Deletes a tenant's own voice. A running service answers 404 for it from the next request on.
 * @throws UsageError when the tenant has no voice with that id
 */
export function deleteVoice(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'deleteVoice', tenant, id }, async (stores) => {
    const { voices } = stores
    await requireTenant(stores, options, tenant)
    if (await voices.delete(tenant, id)) return `Voice ${id} is deleted.\n`
    throw new UsageError(`${tenant} has no voice ${id} of its own`)
  })
}
