import type { UsageAmounts, UsageKind, UsageRow } from '../domain/usage.ts'

/** Amounts of calls without a task. */
export interface UsageBatch {
  /** The process that counted them. */
  readonly counter: string
  /** Number of the batch, from 1. A number that was stored before is not stored again. */
  readonly number: number
  readonly rows: readonly UsageRow[]
}

/** Selects usage. Both days are included. */
export interface UsageQuery {
  /** @default all tenants */
  readonly tenant?: string | undefined
  readonly from: string
  readonly to: string
}

/**
 * Counts usage per tenant, UTC day and kind. {@link TaskStore} adds that of a task in the transaction that ends the
 * task, {@link StorageLedger} that of an object in the transaction that enters it.
 */
export interface UsageStore {
  /** Adds a batch, once. A batch whose outcome is unknown may be sent again. */
  add(batch: UsageBatch): Promise<void>
  /** Returns the amounts, by day, tenant and kind. */
  read(query: UsageQuery): Promise<readonly UsageRow[]>
  /**
   * Deletes old amounts, in one short transaction.
   * @param before.days Days before this one are deleted.
   * @param before.counters Processes whose last batch was before this day have ended.
   * @param before.limit Maximum rows
   * @returns The number of deleted rows. Fewer than `limit`: none is left
   */
  forget(before: { readonly days: string; readonly counters: string; readonly limit: number }): Promise<number>
}

/** Collects the usage of calls without a task. */
export interface UsageNotes {
  /** Adds amounts to those of a tenant. Returns at once. */
  note(tenant: string, kind: UsageKind, amounts: Partial<UsageAmounts>): void
}
