/** Counts that a cluster takes up to {@link mostCounted}: no command reads a whole table. */
export type CappedCount = 'openTasks' | 'tasks' | 'files' | 'voices'

/** Returns the largest {@link CappedCount} of a cluster: 1,000, with more than 300 tenants less, but at least 50. */
export function mostCounted(tenants: number): number {
  return Math.max(50, Math.min(1000, Math.floor(300_000 / Math.max(1, tenants))))
}

/** What the service stores of a tenant, as numbers. */
export interface TenantSummary {
  readonly tenant: string
  /** Stored keys, expired ones too. */
  readonly keys: number
  readonly suspended: boolean
  /** Whether tasks stay in the queue, see {@link TenantStore.pause}. */
  readonly paused: boolean
  readonly openTasks: number
  /** Stored tasks, open ones too. */
  readonly tasks: number
  readonly files: number
  readonly voices: number
  readonly storedBytes: number
  /** The counts that are larger than they say. Unset without one. */
  readonly atLeast?: readonly CappedCount[]
}

/** The tenants over all tables: for operators, not for requests. On one machine it reads whole tables. */
export interface TenantStore {
  /** Lists every tenant that any table names, the audit log left out, sorted by name. */
  list(): Promise<readonly TenantSummary[]>
  /** Returns the names of {@link TenantStore.list}. */
  names(): Promise<readonly string[]>
  /** Whether any table names a tenant, the audit log left out. */
  has(tenant: string): Promise<boolean>
  /** Returns the tenants whose tasks stay in the queue. */
  paused(): Promise<ReadonlySet<string>>
  /** Leaves the tenant's tasks in the queue, or lets them run. Running tasks end. */
  pause(tenant: string, paused: boolean): Promise<void>
  /**
   * Deletes rows of a tenant: keys, secrets, tasks with their requests and webhooks, stored responses, files, voices,
   * usage and its place in the queue. One call deletes a part of the tasks, so that others wait for no long transaction.
   * The tenant's suspension and objects stay.
   * @returns The number of deleted rows. Call it until it is 0.
   */
  deleteRows(tenant: string): Promise<number>
  /** Deletes what remains when the tenant has no objects: its suspension, and an empty sum of stored bytes. */
  forget(tenant: string): Promise<void>
}
