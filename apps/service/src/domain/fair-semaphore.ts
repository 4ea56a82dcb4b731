import { WaitQueue } from '@svc-audio/engine-ports/driver'

/** Options of {@link FairSemaphore}. */
export interface FairSemaphoreOptions {
  /** Maximum slots per tenant at once. @default all slots */
  readonly perTenant?: number
}

/** What users of a {@link FairSemaphore} see. */
export type FairPlaces = Pick<FairSemaphore, keyof FairSemaphore>

/** Limits how many calls run at once, and shares the slots fairly between tenants. */
export class FairSemaphore {
  readonly #line = new WaitQueue()
  readonly #held = new Map<string, number>()
  /**
   * The cost of the work that each tenant has had. Of tenants with equally many slots, the one with the least is next.
   * A tenant that comes back gets no credit for the time of its absence: its count starts at {@link #level}.
   */
  readonly #spent = new Map<string, number>()
  readonly #perTenant: number
  /** What the tenant of the last turn had spent before it. */
  #level = 0
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

  /** Whether a tenant has more work than its slots: it holds all that it may, and its other callers wait. */
  overflows(tenant: string): boolean {
    return !this.#mayTake(tenant) && this.#line.has(tenant)
  }

  /** The tenants that hold a slot or wait for one. */
  get tenants(): readonly string[] {
    return [...this.#held.keys(), ...this.#line.names]
  }

  /** Whether another tenant holds a slot or waits for one. */
  hasOthers(tenant: string): boolean {
    return this.tenants.some((name) => name !== tenant)
  }

  /**
   * Runs work in a slot. The next slot goes to the tenant with the fewest slots. Of several, it goes to the tenant
   * whose work has cost the least. The calls of one tenant run in order.
   * @param cost Estimated cost of the work, in any unit. @default 1
   * @throws The signal's reason when it aborts before the work starts; what `work` throws
   */
  async use<T>(tenant: string, signal: AbortSignal, work: () => Promise<T>, cost: number = 1): Promise<T> {
    signal.throwIfAborted()
    if (!this.#enter(tenant)) await this.#line.wait(signal, tenant)
    this.#charge(tenant, cost)
    try {
      return await work()
    } finally {
      this.#give(tenant)
    }
  }

  /**
   * As {@link FairSemaphore.use}, for work that is not one call.
   * @returns Releases the slot. A second call has no effect.
   */
  async acquire(tenant: string, signal: AbortSignal, cost: number = 1): Promise<() => void> {
    signal.throwIfAborted()
    if (!this.#enter(tenant)) await this.#line.wait(signal, tenant)
    this.#charge(tenant, cost)
    let held = true
    return () => {
      if (held) this.#give(tenant)
      held = false
    }
  }

  /** @returns Whether the tenant got a slot at once. Otherwise it must wait. */
  #enter(tenant: string): boolean {
    if (!this.#held.has(tenant) && !this.#line.has(tenant)) {
      this.#spent.set(tenant, Math.max(this.#level, this.#spent.get(tenant) ?? 0))
    }
    const free = this.#free > 0 && this.#mayTake(tenant)
    if (free) this.#take(tenant)
    return free
  }

  #mayTake(tenant: string): boolean {
    return (this.#held.get(tenant) ?? 0) < this.#perTenant
  }

  #take(tenant: string): void {
    this.#free -= 1
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
  }

  #charge(tenant: string, cost: number): void {
    const spent = this.#spent.get(tenant) ?? 0
    this.#level = Math.max(this.#level, spent)
    this.#spent.set(tenant, spent + cost)
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
      this.#spent.clear()
      this.#level = 0
    }
  }

  /** The tenant that gets the next slot. */
  #next(): string | undefined {
    const held = (tenant: string): number => this.#held.get(tenant) ?? 0
    const spent = (tenant: string): number => this.#spent.get(tenant) ?? 0
    return [...this.#line.names]
      .filter((tenant) => this.#mayTake(tenant))
      .toSorted((one, other) => held(one) - held(other) || spent(one) - spent(other))[0]
  }
}

/** Tells whether several tenants have work. Engines ask while they work, and open before their semaphores. */
export class TenantsAtWork {
  #semaphores: readonly Pick<FairPlaces, 'tenants'>[] = []

  /** Watches these semaphores from now on. */
  watch(...semaphores: readonly Pick<FairPlaces, 'tenants'>[]): void {
    this.#semaphores = semaphores
  }

  /** Whether more than one tenant holds a slot or waits for one. */
  readonly areSeveral = (): boolean => new Set(this.#semaphores.flatMap(({ tenants }) => tenants)).size > 1
}

/** Limits how many processes run at once. The others queue in order. */
export class Semaphore {
  #free: number
  readonly #line = new WaitQueue()

  /** @param count Most processes at once, at least 1. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a slot.
   *
   * @returns Releases the slot. A second call has no effect.
   * @throws The signal's reason when it aborts first. The caller then leaves the queue.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#line.wait(signal)
    let held = true
    return () => {
      // passes the slot to the first caller in the queue, or frees it
      if (held && !this.#line.next()) this.#free += 1
      held = false
    }
  }
}
