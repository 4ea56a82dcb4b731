import type { Clock } from '../domain/clock.ts'
import {
  dayOf,
  type EngineUsage,
  NO_USAGE,
  type UsageAmounts,
  type UsageKind,
  type UsageRow,
  type WorkTotals,
} from '../domain/usage.ts'
import type { TaskStore } from '../ports/task-store.ts'
import type { EngineHooks } from '../ports/engines.ts'
import type { UsageBatch, UsageNotes, UsageStore } from '../ports/usage-store.ts'

/** Interval of the writes, in milliseconds. A crash loses the calls of this time. Tasks are never lost. */
const INTERVAL_MS = 1000

const DAY_MS = 24 * 3600 * 1000

/** A row that is still added to. */
type Sum = { -readonly [Name in keyof UsageRow]: UsageRow[Name] }

/**
 * Counts the calls without a task, and stores the sums every second: a write for each call would cost more than a small
 * call. A batch whose outcome is unknown is sent again under its number, and counts once.
 */
export class UsageCounter implements UsageNotes {
  readonly #store: Pick<UsageStore, 'add'>
  readonly #clock: Clock
  readonly #counter: string
  /** Sums that are not sent, of all days. */
  #rows: Sum[] = []
  /** Those of the current day, by kind and tenant. */
  readonly #today = new Map<UsageKind, Map<string, Sum>>()
  #day = ''
  #dayEnds = 0
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
    this.#followDay()
    const sum = this.#today.get(kind)?.get(tenant) ?? this.#startSum(kind, tenant)
    addTo(sum, amounts)
    this.#cancel ??= this.#plan()
  }

  /** The time of the service never goes back. */
  #followDay(): void {
    const now = this.#clock.now()
    if (now < this.#dayEnds) return
    this.#day = dayOf(now)
    this.#dayEnds = Date.parse(this.#day) + DAY_MS
    this.#today.clear()
  }

  #startSum(kind: UsageKind, tenant: string): Sum {
    const sum: Sum = { tenant, day: this.#day, kind, ...NO_USAGE }
    this.#rows.push(sum)
    const tenants = this.#today.get(kind)
    if (tenants === undefined) this.#today.set(kind, new Map([[tenant, sum]]))
    else tenants.set(tenant, sum)
    return sum
  }

  /** Stores what was noted. A failure is repeated with the next write. */
  flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
      if (this.#unsent !== undefined || this.#rows.length > 0) this.#cancel ??= this.#plan()
    })
    return this.#sending
  }

  /** Stores everything that was noted, and ends the writes. Gives up when the store does not answer. */
  async close(): Promise<void> {
    await this.flush()
    await this.flush()
    this.#cancel?.()
  }

  #plan(): () => void {
    return this.#clock.setTimer(INTERVAL_MS, () => void this.flush())
  }

  async #send(): Promise<void> {
    if (this.#unsent === undefined) {
      if (this.#rows.length === 0) return
      this.#number += 1
      this.#unsent = { counter: this.#counter, number: this.#number, rows: this.#rows }
      this.#rows = []
      this.#today.clear()
    }
    try {
      await this.#store.add(this.#unsent)
      this.#unsent = undefined
    } catch {
      // The next write repeats it. The request that notices the lost database reports it.
    }
  }
}

/** Adds in place: every request counts. */
function addTo(sum: Sum, amounts: Partial<UsageAmounts>): void {
  sum.requests += amounts.requests ?? 0
  sum.succeeded += amounts.succeeded ?? 0
  sum.failed += amounts.failed ?? 0
  sum.characters += amounts.characters ?? 0
  sum.speechMs += amounts.speechMs ?? 0
  sum.recordingMs += amounts.recordingMs ?? 0
  sum.storedBytes += amounts.storedBytes ?? 0
}

/** Counts the tasks that this process claims and ends, and the leases that it loses. */
export function countedTasks(tasks: TaskStore, totals: WorkTotals): TaskStore {
  return {
    ...tasks,
    async claim(milliseconds, options) {
      const started = performance.now()
      const claim = await tasks.claim(milliseconds, options)
      totals.claims.note(performance.now() - started)
      if (claim !== undefined) totals.attempts += 1
      return claim
    },
    async renew(lease, milliseconds) {
      const held = await tasks.renew(lease, milliseconds)
      if (!held) totals.lostLeases += 1
      return held
    },
    async succeed(lease, result, work) {
      const ended = await tasks.succeed(lease, result, work)
      if (ended) totals.succeeded += 1
      return ended
    },
    async fail(lease, error, work) {
      const ended = await tasks.fail(lease, error, work)
      if (ended) totals.failed += 1
      return ended
    },
    async cancel(tenant, id, error) {
      const cancellation = await tasks.cancel(tenant, id, error)
      if (cancellation?.cancelled === true) totals.failed += 1
      return cancellation
    },
    async expireInputs(expiry, error) {
      const expired = await tasks.expireInputs(expiry, error)
      totals.failed += expired.count
      return expired
    },
  }
}

/**
 * Counts the work of each engine for each tenant: every call, also those of attempts that failed and of repeated
 * requests, because a server bills them too.
 */
export function countEngineUses(usage: UsageNotes): EngineHooks {
  return {
    ended({ engine, port, client, failed, characters, seconds }) {
      const kind: EngineUsage = `${port}@${engine}`
      const milliseconds = Math.round(seconds * 1000)
      usage.note(client.tenant, kind, {
        requests: 1,
        ...(failed ? { failed: 1 } : {}),
        ...(port === 'speech' ? { characters } : {}),
        ...(port === 'speech' ? { speechMs: milliseconds } : { recordingMs: milliseconds }),
      })
    },
  }
}
