/** Deterministic pseudo-random numbers by seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A number between two others. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  /** A whole number from `low` to `high`. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1))
  }

  /** One of the items. @throws RangeError without items */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)]
    if (item === undefined) throw new RangeError('There is nothing to pick from')
    return item
  }
}
