import { networkOf } from '../domain/addresses.ts'
import { type Clock, systemClock } from '../domain/clock.ts'

const WINDOW_MS = 60_000

/** Maximum addresses and most pairs of address and key in memory. Beyond that, the oldest is forgotten. */
const MOST_REMEMBERED = 10_000

/**
 * Counts wrong keys by address, and by the first 64 bits of an IPv6 address. After too many in a minute, the address may
 * use only keys that have worked from there before: a guesser learns nothing more, and the clients behind one proxy go
 * on.
 */
export class FailedKeys {
  readonly #max: number
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; readonly until: number }>()
  /** Ids of keys by network. */
  readonly #known = new Map<string, Set<string>>()
  #pairs = 0

  /** @param max Most wrong keys of one address per minute. */
  constructor(max: number, clock: Clock = systemClock) {
    this.#max = max
    this.#clock = clock
  }

  /**
   * @param id Gives the id of the key. It is called only after too many wrong keys.
   * @returns Seconds until the address may use this key; 0 when it may now.
   */
  waitFor(address: string, id: () => string): number {
    if (this.#failures.size === 0) return 0
    const network = networkOf(address)
    const failures = this.#failures.get(network)
    if (failures === undefined || failures.count < this.#max) return 0
    const left = failures.until - this.#clock.now()
    if (left <= 0) this.#failures.delete(network)
    return left <= 0 || this.#known.get(network)?.has(id()) === true ? 0 : Math.ceil(left / 1000)
  }

  /** The key of a request was wrong. */
  fail(address: string): void {
    const now = this.#clock.now()
    const network = networkOf(address)
    const before = this.#failures.get(network)
    if (before !== undefined && before.until > now) before.count += 1
    else {
      this.#failures.delete(network)
      this.#failures.set(network, { count: 1, until: now + WINDOW_MS })
      if (this.#failures.size > MOST_REMEMBERED) forgetOldest(this.#failures)
    }
  }

  /** The key of a request was right. Every request calls it, so it makes no text and hashes nothing. */
  succeed(address: string, id: string): void {
    const network = networkOf(address)
    const known = this.#known.get(network)
    if (known?.has(id) === true) return
    if (known === undefined) this.#known.set(network, new Set([id]))
    else known.add(id)
    this.#pairs += 1
    if (this.#pairs > MOST_REMEMBERED) this.#forgetPair()
  }

  /** Forgets the oldest key of the oldest network. */
  #forgetPair(): void {
    for (const [network, ids] of this.#known) {
      forgetOldest(ids)
      if (ids.size === 0) this.#known.delete(network)
      this.#pairs -= 1
      return
    }
  }
}

function forgetOldest(remembered: Map<string, unknown> | Set<string>): void {
  for (const oldest of remembered.keys()) {
    remembered.delete(oldest)
    return
  }
}
