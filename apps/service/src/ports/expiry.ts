/** A batch of rows to delete because of their age, the oldest first. Each batch is one short transaction. */
export interface Expiry {
  /** Only older rows. Milliseconds since 1970. */
  readonly before: number
  /** Maximum rows. */
  readonly limit: number
  /** Where the batch begins: {@link Expired.next} of the batch before it. @default the oldest row */
  readonly from?: number | undefined
}

/** What a batch has deleted. */
export interface Expired {
  /** Number of deleted rows. */
  readonly count: number
  /** Names of objects that only these rows named. */
  readonly objects: readonly string[]
  /** Where the next batch begins. Unset when no older row may be left. */
  readonly next?: number | undefined
}

/** Rows that a clean-up deletes because of their age. */
export const EXPIRING_ROWS = ['files', 'inputs', 'requests', 'responses', 'tasks'] as const

/** A kind of {@link EXPIRING_ROWS}. */
export type ExpiringRows = (typeof EXPIRING_ROWS)[number]

/** Expired rows of a kind are counted up to this number. */
export const MOST_EXPIRED_COUNTED = 10_000

/** Returns where the batch after one that found some rows begins, of which it has deleted `count`. */
export function nextAfter(
  { limit, from }: Expiry,
  { found, last, count }: { readonly found: number; readonly last: number | null; readonly count: number },
): number | undefined {
  // A full batch that deletes nothing and ends where it began would be repeated for ever.
  const isStuck = count === 0 && last === from
  return found < limit || isStuck ? undefined : (last ?? undefined)
}
