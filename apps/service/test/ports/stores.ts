import type { ResponseStore } from '../../src/ports/response-store.ts'
import type { StorageLedger } from '../../src/ports/storage-ledger.ts'
import type { StoreMetricsReader } from '../../src/ports/store-metrics.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import type { TenantStore } from '../../src/ports/tenant-store.ts'
import type { UsageStore } from '../../src/ports/usage-store.ts'
import type { WebhookOutbox } from '../../src/ports/webhook-outbox.ts'

/** The empty stores of a driver, on a manual clock. */
export interface Stores {
  readonly tasks: TaskStore
  readonly outbox: WebhookOutbox
  readonly responses: ResponseStore
  readonly ledger: StorageLedger
  readonly tenants: TenantStore
  readonly usage: UsageStore
  readonly metrics: StoreMetricsReader
  /** Milliseconds since 1970; starts at {@link START}. */
  readonly clock: { now: number }
  /** The same stores, opened again on the same data, as another process would. */
  reopen(): Promise<Pick<Stores, 'tasks' | 'outbox' | 'responses' | 'usage'>>
  close(): Promise<void>
}

/** Makes the stores of a driver. */
export type OpenStores = (options?: {
  /** Largest number of one tenant's tasks leased at the same time. */
  readonly atOncePerTenant?: number
}) => Promise<Stores>

/** Time at the start of a test. */
export const START = 1_800_000_000_000
