import { WaitQueue } from './wait-queue.ts'

/** Options of {@link FairSemaphore}. */
export interface FairSemaphoreOptions {
  /** Most places that one tenant may hold at once. @default all of them */
  readonly perTenant?: number
}

/** Lets a number of things run at once, and shares the places fairly between tenants. */
export class FairSemaphore {
  readonly #line = new WaitQueue()
  readonly #held = new Map<string, number>()
  /** When each tenant last got a place: between tenants with equally many places, the earliest comes first. */
  readonly #turns = new Map<string, number>()
  readonly #perTenant: number
  #turn = 0
  #free: number
  /** How many places there are. */
  readonly size: number

  /** @param size Places, at least 1. */
  constructor(size: number, { perTenant = size }: FairSemaphoreOptions = {}) {
    this.size = size
    this.#free = size
    this.#perTenant = perTenant
  }

  /** Places in use. */
  get busy(): number {
    return this.size - this.#free
  }

  /** Callers that wait for a place. */
  get waiting(): number {
    return this.#line.length
  }

  /**
   * Runs work on a place. The next place goes to the tenant with the fewest places, then to the tenant that has waited
   * longest; within a tenant in the order of the calls.
   * @throws The signal's reason when it aborts before; what `work` throws
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
      // Nobody waits and nobody works: all tenants are equal again, and their names need not be stored.
      this.#turns.clear()
    }
  }

  /** The tenant that gets the next place. */
  #next(): string | undefined {
    const held = (tenant: string): number => this.#held.get(tenant) ?? 0
    const turn = (tenant: string): number => this.#turns.get(tenant) ?? 0
    return [...this.#line.names]
      .filter((tenant) => this.#mayTake(tenant))
      .toSorted((one, other) => held(one) - held(other) || turn(one) - turn(other))[0]
  }
}
