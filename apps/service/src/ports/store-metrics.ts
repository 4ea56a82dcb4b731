import type { ExpiringRows } from './expiry.ts'
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
  /** The state of a database server. Unset without one. */
  readonly server?: ServerMetrics
}

/** The state of a database server, as far as the role may see it. */
export interface ServerMetrics {
  /** Age of the oldest transaction that keeps dead rows, in seconds. 0 without one. */
  readonly oldestSnapshotSeconds: number
  /** Rows that are deleted or replaced and still stored, by table. */
  readonly deadRows: Readonly<Record<string, number>>
  /** How far the slowest standby is behind, in seconds. Unset without a standby, or without the right to see it. */
  readonly replicationLagSeconds?: number
}

/** The connections of a process to its database. */
export interface DatabaseConnections {
  readonly busy: number
  readonly idle: number
  /** Calls that wait for a connection. */
  readonly waiting: number
}

/** Counts stored data. */
export interface StoreMetricsReader {
  /** @throws when the database does not answer */
  read(): Promise<StoreMetrics>
  /**
   * Counts the rows of each kind that are older than a time and wait for the clean-up, each up to
   * {@link MOST_EXPIRED_COUNTED}.
   * @param before Milliseconds since 1970, by kind
   */
  countExpired(before: Readonly<Record<ExpiringRows, number>>): Promise<Readonly<Record<ExpiringRows, number>>>
}
