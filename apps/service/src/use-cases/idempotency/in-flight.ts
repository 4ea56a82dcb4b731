import { ServiceError } from '../../domain/service-error.ts'
import type { Idempotency, IdempotencyContext, KeysInFlight } from '../../ports/idempotency.ts'

/**
 * The idempotency keys of requests in flight in this process. A crash forgets them all. The stores hold the results of
 * their requests.
 */
export class InFlightKeys implements KeysInFlight {
  readonly #fingerprints = new Map<string, string>()
  /** The last work in the queue of each key. */
  readonly #turns = new Map<string, Promise<unknown>>()

  /**
   * Refuses a key in flight.
   * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict` when the key belongs to another
   * request
   */
  async check(tenant: string, idempotency: Idempotency): Promise<void> {
    this.#requireFree(tenant, idempotency)
  }

  #requireFree(tenant: string, { key, fingerprint }: Idempotency): void {
    const running = this.#fingerprints.get(nameOf(tenant, key))
    if (running !== undefined) throw running === fingerprint ? inProgress() : idempotencyConflict()
  }

  /**
   * Marks a key as in flight.
   * @returns Releases the key.
   * @throws ServiceError as {@link KeysInFlight.check}
   */
  async take(tenant: string, idempotency: Idempotency): Promise<() => void> {
    this.#requireFree(tenant, idempotency)
    const name = nameOf(tenant, idempotency.key)
    this.#fingerprints.set(name, idempotency.fingerprint)
    return () => this.#fingerprints.delete(name)
  }

  /**
   * Runs short work while no other work with the same key runs. The second of two simultaneous requests then finds
   * what the first one stored. Without a key the work runs at once.
   * @throws What `keep` throws. The next work with the key still runs
   */
  async inTurn<T>({ tenant, idempotency }: IdempotencyContext, keep: () => Promise<T>): Promise<T> {
    if (idempotency === undefined) return keep()
    const name = nameOf(tenant, idempotency.key)
    const mine = (this.#turns.get(name) ?? Promise.resolve()).then(keep, keep)
    this.#turns.set(name, mine)
    try {
      return await mine
    } finally {
      if (this.#turns.get(name) === mine) this.#turns.delete(name)
    }
  }
}

/** Keys contain only visible characters: a space is a safe separator. */
function nameOf(tenant: string, key: string): string {
  return `${key} ${tenant}`
}

/** Creates the 409 for a request in flight. */
export function inProgress(): ServiceError {
  const message = 'A request with this Idempotency-Key is in flight: retry after 1 s'
  return new ServiceError(409, 'idempotency_in_progress', message, { retryAfterSeconds: 1 })
}

/** Creates the 409 for a key of another request. */
export function idempotencyConflict(): ServiceError {
  return new ServiceError(409, 'idempotency_conflict', 'This Idempotency-Key belongs to another request: use a new key')
}
