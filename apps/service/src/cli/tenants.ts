import { setTimeout as sleep } from 'node:timers/promises'
import type { Stores } from '../drivers/sql/stores.ts'
import type { TenantSummary } from '../ports/tenant-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { withAudit } from './audited.ts'
import { requireTenant, type TenantOptions } from './known-tenant.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'
import { UsageError } from './usage-error.ts'
import { type Areas, AREAS, withObjects } from './with-objects.ts'
import { withStores } from './with-stores.ts'

/** Lists all tenants with what the service stores of them. Tenants of the settings are among them. */
export function listTenants(options: TenantOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, async ({ tenants }) => {
    const stored = (await tenants.list()).filter(({ tenant }) => tenant !== DRAIN)
    const names = new Set(stored.map(({ tenant }) => tenant))
    const given = new Set([...(options.apiKeys?.values() ?? [])].filter((tenant) => !names.has(tenant)))
    const all = [...stored, ...[...given].map(withoutRows)].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
    if (json) return jsonText({ tenants: all.map(viewTenant) })
    if (all.length === 0) return 'There is no tenant: keys create makes one.\n'
    return table(
      all.map(({ tenant, keys, openTasks, tasks, files, voices, storedBytes, suspended, paused }) => [
        tenant,
        `${keys} stored keys`,
        `${tasks} tasks`,
        `${openTasks} open`,
        `${files} files`,
        `${voices} voices`,
        `${storedBytes} bytes`,
        [suspended ? 'suspended' : '', paused ? 'paused' : ''].filter((word) => word !== '').join(', '),
      ]),
    )
  })
}

function withoutRows(tenant: string): TenantSummary {
  const none = { keys: 0, openTasks: 0, tasks: 0, files: 0, voices: 0, storedBytes: 0 }
  return { tenant, ...none, suspended: false, paused: false }
}

function viewTenant({ openTasks, storedBytes, keys, ...same }: TenantSummary) {
  return { ...same, stored_keys: keys, open_tasks: openTasks, stored_bytes: storedBytes }
}

/** Refuses the requests of a tenant. */
export function suspendTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'suspendTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.keys.suspend(tenant, true)
    return `The service refuses requests of ${tenant} within a second.\n`
  })
}

/** Leaves the accepted tasks of a tenant in the queue. */
export function pauseTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'pauseTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.tenants.pause(tenant, true)
    return `The service starts no task of ${tenant}. Running tasks end.\n`
  })
}

/** Ends a suspension and a pause. */
export function resumeTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'resumeTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.keys.suspend(tenant, false)
    await stores.tenants.pause(tenant, false)
    return `The service accepts requests of ${tenant} within a second, and runs its tasks.\n`
  })
}

/** Time in which every process knows a suspension and stores its usage, in milliseconds. */
const SETTLE_MS = 3000

/** Passes over a tenant that still stores: an upload in flight. */
const MOST_PASSES = 20

/**
 * Deletes everything of a tenant, also while a service runs: its requests are refused first. Records of the audit log
 * stay, with one of the deletion. A deletion that fails in the middle leaves the tenant suspended; it can be repeated.
 * @param confirm Called with a summary before anything is deleted. Throws to stop.
 * @throws UsageError for an unknown tenant and for one with a key in the settings; what `confirm` throws
 */
export async function deleteTenant(
  options: ServiceOptions,
  tenant: string,
  confirm: (question: string) => Promise<void>,
): Promise<string> {
  if ([...(options.apiKeys?.values() ?? [])].includes(tenant)) {
    throw new UsageError(`${tenant} has a key in SVC_AUDIO_API_KEYS: remove it, and restart the service without it`)
  }
  const summary = await withStores(options, async (stores) => {
    await requireTenant(stores, options, tenant)
    return (await stores.tenants.list()).find((one) => one.tenant === tenant)
  })
  const { keys = 0, tasks = 0, files = 0, voices = 0, storedBytes = 0 } = summary ?? {}
  const contents = `${keys} keys, ${tasks} tasks, ${files} files, ${voices} voices, ${storedBytes} bytes`
  await confirm(`${tenant} has ${contents}.`)
  return withAudit(options, { action: 'deleteTenant', tenant }, (stores) =>
    // The objects are opened first: without them, nothing is deleted.
    withObjects(options, stores, async (areas) => {
      await stores.keys.suspend(tenant, true)
      for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
        const found = await deletePass(stores, areas, tenant)
        if (found === 0 && pass > 1) {
          await stores.tenants.forget(tenant)
          return `${tenant} is deleted: ${contents}. The audit log keeps its records.\n`
        }
        await sleep(SETTLE_MS)
      }
      throw new UsageError(`${tenant} still stores something: it stays suspended, run the command again`)
    }),
  )
}

/** @returns The number of rows and objects */
async function deletePass(stores: Stores, areas: Areas, tenant: string): Promise<number> {
  let count = 0
  for (let rows = -1; rows !== 0; count += rows) rows = await stores.tenants.deleteRows(tenant)
  const entries = await stores.ledger.entriesOf(tenant)
  const known = new Set<string>(AREAS)
  for (const { area, name } of entries.filter((entry) => known.has(entry.area))) await areas[area].delete(name)
  return count + entries.length
}
