import { randomInt } from 'node:crypto'

/** Seeds of a run with random ones are below it. */
const SEEDS = 2 ** 31

const given = process.env['SVC_AUDIO_SEED'] ?? '48'

/** Whether this run takes random seeds: `SVC_AUDIO_SEED=random`. A test prints its seed when it fails. */
export const HAS_RANDOM_SEEDS: boolean = given === 'random'

/** Returns a new seed. */
export const newSeed = (): number => randomInt(SEEDS)

/**
 * The seed of every test that generates its cases: the same in each run. The variable `SVC_AUDIO_SEED` gives another one:
 * the number that a failure has printed, or `random`.
 */
export const SEED: number = HAS_RANDOM_SEEDS ? newSeed() : Number(given)
if (!Number.isInteger(SEED)) throw new RangeError(`SVC_AUDIO_SEED must be a whole number or random, got ${given}`)

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
