import type { Clock } from '../../domain/clock.ts'
import { addAmounts, dayOf, NO_USAGE, type UsageAmounts, type UsageKind, type UsageRow } from '../../domain/usage.ts'
import type { UsageBatch, UsageNotes, UsageStore } from '../../ports/usage-store.ts'

/** Interval of the writes, in milliseconds. A crash loses the calls of this time. Tasks are never lost. */
const INTERVAL_MS = 1000

/**
 * Counts the calls without a task, and stores the sums every second: a write for each call would cost more than a small
 * call. A batch whose outcome is unknown is sent again under its number, and counts once.
 */
export class UsageCounter implements UsageNotes {
  readonly #store: Pick<UsageStore, 'add'>
  readonly #clock: Clock
  readonly #counter: string
  #rows = new Map<string, UsageRow>()
  #unsent: UsageBatch | undefined
  #number = 0
  #sending: Promise<void> | undefined
  #cancel: (() => void) | undefined

  /** @param counter An id that no other process and no earlier start has. */
  constructor(store: Pick<UsageStore, 'add'>, clock: Clock, counter: string) {
    this.#store = store
    this.#clock = clock
    this.#counter = counter
  }

  note(tenant: string, kind: UsageKind, amounts: Partial<UsageAmounts>): void {
    const day = dayOf(this.#clock.now())
    const key = `${day} ${kind} ${tenant}`
    const row = this.#rows.get(key) ?? { tenant, day, kind, ...NO_USAGE }
    this.#rows.set(key, { ...row, ...addAmounts(row, amounts) })
    this.#plan()
  }

  /** Stores what was noted. A failure is repeated with the next write. */
  flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
      if (this.#unsent !== undefined || this.#rows.size > 0) this.#plan()
    })
    return this.#sending
  }

  /** Stores everything that was noted, and ends the writes. Gives up when the store does not answer. */
  async close(): Promise<void> {
    await this.flush()
    await this.flush()
    this.#cancel?.()
  }

  #plan(): void {
    this.#cancel ??= this.#clock.setTimer(INTERVAL_MS, () => void this.flush())
  }

  async #send(): Promise<void> {
    if (this.#unsent === undefined) {
      if (this.#rows.size === 0) return
      this.#number += 1
      this.#unsent = { counter: this.#counter, number: this.#number, rows: [...this.#rows.values()] }
      this.#rows = new Map()
    }
    try {
      await this.#store.add(this.#unsent)
      this.#unsent = undefined
    } catch {
      // The next write repeats it. The request that notices the lost database reports it.
    }
  }
}
