import { WaitingLine } from '../domain/waiting-line.ts'

/** Lets a number of things happen at once, fair between tenants. */
export class FairSlots {
  readonly #line = new WaitingLine()
  readonly #held = new Map<string, number>()
  /** Of tenants with equally many slots, whoever got one last comes last. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  #free: number
  /** How many there are. */
  readonly size: number

  /** @param size Slots, at least 1. */
  constructor(size: number) {
    this.size = size
    this.#free = size
  }

  /** How many are in use. */
  get busy(): number {
    return this.size - this.#free
  }

  /** How much work waits for one. */
  get waiting(): number {
    return this.#line.length
  }

  /**
   * Does work when it is its tenant's turn: first the tenant with the fewest slots, then the one that has waited
   * longest; within a tenant in the order of the calls.
   * @throws The signal's reason when it aborts before; what `work` throws
   */
  async use<T>(tenant: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#take(tenant)
    else await this.#line.wait(signal, tenant)
    try {
      return await work()
    } finally {
      this.#give(tenant)
    }
  }

  #take(tenant: string): void {
    this.#free -= 1
    this.#turn += 1
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
    this.#turns.set(tenant, this.#turn)
  }

  #give(tenant: string): void {
    this.#free += 1
    const left = (this.#held.get(tenant) ?? 1) - 1
    if (left === 0) this.#held.delete(tenant)
    else this.#held.set(tenant, left)
    const next = this.#next()
    if (next !== undefined) {
      this.#take(next)
      this.#line.next(next)
    } else if (this.#held.size === 0) {
      // Nobody waits and nobody works: all are equal again, and the names need not be kept.
      this.#turns.clear()
    }
  }

  /** The tenant whose turn it is. */
  #next(): string | undefined {
    const held = (tenant: string): number => this.#held.get(tenant) ?? 0
    const turn = (tenant: string): number => this.#turns.get(tenant) ?? 0
    return [...this.#line.names].toSorted((one, other) => held(one) - held(other) || turn(one) - turn(other))[0]
  }
}
