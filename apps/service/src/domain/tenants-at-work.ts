import type { FairPlaces } from './fair-semaphore.ts'

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
