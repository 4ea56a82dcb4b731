import { CANCELLED } from '../use-cases/tasks/cancel-task.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './usage-error.ts'
import type { StoreOptions } from './with-stores.ts'

/**
 * Cancels a tenant's task. A running service stops its work within ten seconds, and calls its webhook.
 * @throws UsageError when the tenant has no task with that id
 */
export function cancelStoredTask(options: StoreOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'cancelTask', tenant, id }, async ({ tasks }) => {
    const cancellation = await tasks.cancel(tenant, id, CANCELLED)
    if (cancellation === undefined) throw new UsageError(`${tenant} has no task ${id}`)
    return cancellation.cancelled ? `Task ${id} is cancelled.\n` : `Task ${id} had ended before.\n`
  })
}
