import type { StoredTask } from './task-store.ts'
import type { StorageArea } from './storage-ledger.ts'
import type { WebhookState } from './webhook-outbox.ts'

/** Counts over all tenants. */
export interface StoreMetrics {
  readonly tasks: Readonly<Record<StoredTask['status'], number>>
  /** Tasks in the queue. */
  readonly queued: number
  /** When the oldest task in the queue was accepted, in milliseconds since 1970. */
  readonly oldestQueuedAt: number | undefined
  readonly webhooks: Readonly<Record<WebhookState['status'], number>>
  readonly storedBytes: Readonly<Record<StorageArea, number>>
}

/** Counts stored data. */
export interface StoreMetricsReader {
  /** @throws when the database does not answer */
  read(): Promise<StoreMetrics>
}
