import type { Stores } from '../drivers/sql/stores.ts'
import type { ServiceOptions } from '../service-options.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { nearHint } from '@svc-audio/options'
import { UsageError } from './usage-error.ts'
import { type StoreOptions, withStores } from './with-stores.ts'

/** Every day, for a query of usage. */
export const ALWAYS = { from: '0000-01-01', to: '9999-12-31' } as const

/** What tells the tenants: stores, and keys of the settings. */
export type TenantOptions = StoreOptions & Pick<ServiceOptions, 'apiKeys'>

/** Returns the tenants that the stores or the settings name, sorted. The audit log does not count. */
export async function knownTenants(
  { tenants }: Pick<Stores, 'tenants'>,
  given: ServiceOptions['apiKeys'] = new Map(),
): Promise<string[]> {
  const names = [...given.values(), ...(await tenants.list()).map(({ tenant }) => tenant)]
  return [...new Set(names)].filter((name) => name !== DRAIN).toSorted()
}

/** @throws UsageError naming an unknown tenant, with a near name */
export async function requireTenant(stores: Stores, { apiKeys }: TenantOptions, tenant: string): Promise<void> {
  const known = await knownTenants(stores, apiKeys)
  if (known.includes(tenant)) return
  throw new UsageError(`There is no tenant ${tenant}${nearHint(tenant, known)} (tenants list shows them)`)
}

/** Acts on the stores of a known tenant. @throws UsageError for an unknown one; what `use` throws */
export function withTenant<T>(options: TenantOptions, tenant: string, use: (stores: Stores) => Promise<T>): Promise<T> {
  return withStores(options, async (stores) => {
    await requireTenant(stores, options, tenant)
    return use(stores)
  })
}
