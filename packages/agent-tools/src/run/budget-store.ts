/** Details of an addition. */
export interface BudgetAddition {
  /** End of the counter's day. The store may delete the counter after it. */
  readonly expiresAt: Date
}

/**
 * Counters that outlive a run. Several processes and machines share a budget if they share its store. `memoryBudgetStore`
 * is an implementation for one process.
 */
export interface BudgetStore {
  /**
   * Adds an amount to a counter in one atomic step, as `INCRBYFLOAT` of Redis and `update … returning` of SQL do. A
   * counter starts at 0.
   * @param counter 1 to 600 characters of ASCII without spaces.
   * @param amount Negative to return an amount. Seconds have a fraction.
   * @returns The new total.
   */
  add(counter: string, amount: number, addition: BudgetAddition): Promise<number>
}

/** A {@link BudgetStore} in the memory of this process. It deletes the counters of past days. */
export function memoryBudgetStore(): BudgetStore {
  const counters = new Map<string, { total: number; expiresAt: number }>()
  return {
    async add(counter, amount, { expiresAt }) {
      const now = Date.now()
      for (const [name, stored] of counters) if (stored.expiresAt <= now) counters.delete(name)
      const total = (counters.get(counter)?.total ?? 0) + amount
      counters.set(counter, { total, expiresAt: expiresAt.getTime() })
      return total
    },
  }
}
