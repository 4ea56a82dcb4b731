import { WaitQueue } from './wait-queue.ts'

/** Options of {@link FairSemaphore}. */
export interface FairSemaphoreOptions {
  /** Most slots of one tenant at once. @default all slots */
  readonly perTenant?: number
}

/** Limits how many calls run at once, and shares the slots fairly between tenants. */
export class FairSemaphore {
  readonly #line = new WaitQueue()
  readonly #held = new Map<string, number>()
  /** The last turn of each tenant. Of tenants with equally many slots, the one with the earliest turn is next. */
  readonly #turns = new Map<string, number>()
  readonly #perTenant: number
  #turn = 0
  #free: number
  /** Number of slots. */
  readonly size: number

  /** @param size Number of slots, at least 1. */
  constructor(size: number, { perTenant = size }: FairSemaphoreOptions = {}) {
    this.size = size
    this.#free = size
    this.#perTenant = perTenant
  }

  /** Slots in use. */
  get busy(): number {
    return this.size - this.#free
  }

  /** Number of callers in the queue. */
  get waiting(): number {
    return this.#line.length
  }

  /**
   * Runs work in a slot. The next slot goes to the tenant with the fewest slots. Of several, it goes to the tenant
   * that has waited longest. The calls of one tenant run in order.
   * @throws The signal's reason when it aborts before the work starts; what `work` throws
   */
  async use<T>(tenant: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#free > 0 && this.#mayTake(tenant)) this.#take(tenant)
    else await this.#line.wait(signal, tenant)
    try {
      return await work()
    } finally {
      this.#give(tenant)
    }
  }

  #mayTake(tenant: string): boolean {
    return (this.#held.get(tenant) ?? 0) < this.#perTenant
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
      // Idle: all tenants are equal again, and their names can be forgotten.
      this.#turns.clear()
    }
  }

  /** The tenant that gets the next slot. */
  #next(): string | undefined {
    const held = (tenant: string): number => this.#held.get(tenant) ?? 0
    const turn = (tenant: string): number => this.#turns.get(tenant) ?? 0
    return [...this.#line.names]
      .filter((tenant) => this.#mayTake(tenant))
      .toSorted((one, other) => held(one) - held(other) || turn(one) - turn(other))[0]
  }
}
