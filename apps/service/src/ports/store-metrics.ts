import type { StorageArea } from './storage-ledger.ts'

/** Counts over all tenants. Reading them takes time only for open work, not for what has ended. */
export interface StoreMetrics {
  /** Open tasks. */
  readonly tasks: Readonly<Record<'PENDING' | 'PROCESSING', number>>
  /** Tasks in the queue. */
  readonly queued: number
  /** When the oldest task in the queue was accepted, in milliseconds since 1970. */
  readonly oldestQueuedAt: number | undefined
  /** Webhooks that are not delivered yet. */
  readonly pendingWebhooks: number
  readonly storedBytes: Readonly<Record<StorageArea, number>>
}

/** Counts stored data. */
export interface StoreMetricsReader {
  /** @throws when the database does not answer */
  read(): Promise<StoreMetrics>
}
