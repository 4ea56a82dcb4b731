import { ServiceError } from '../../domain/service-error.ts'
import type { Idempotency, IdempotencyContext, KeysInFlight } from '../../ports/idempotency.ts'

/**
 * The idempotency keys of requests in flight in this process. A crash ends them all; what they have made by then is in the
 * stores.
 */
export class InFlightKeys implements KeysInFlight {
  readonly #fingerprints = new Map<string, string>()
  /** The last work in the queue of each key. */
  readonly #turns = new Map<string, Promise<unknown>>()

  /**
   * Refuses a key that is in flight.
   * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict` when it is with another request
   */
  check(tenant: string, { key, fingerprint }: Idempotency): void {
    const running = this.#fingerprints.get(nameOf(tenant, key))
    if (running !== undefined) throw running === fingerprint ? inProgress() : idempotencyConflict()
  }

  /**
   * Takes a key.
   * @returns How to give it back.
   * @throws ServiceError as {@link KeysInFlight.check}
   */
  take(tenant: string, idempotency: Idempotency): () => void {
    this.check(tenant, idempotency)
    const name = nameOf(tenant, idempotency.key)
    this.#fingerprints.set(name, idempotency.fingerprint)
    return () => this.#fingerprints.delete(name)
  }

  /**
   * Keeps something when nobody else with the same key does, so that of two requests at once the second finds what the
   * first has stored, and needs no room of its own. For what is soon done. Without a key it is done at once.
   * @throws what `keep` throws; anyone who is next tries it again
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

/** Keys hold visible characters only. */
function nameOf(tenant: string, key: string): string {
  return `${key} ${tenant}`
}

/** The 409 for a request that is still being answered. */
export function inProgress(): ServiceError {
  const message = 'The request with this Idempotency-Key is still being answered'
  return new ServiceError(409, 'idempotency_in_progress', message, { retryAfterSeconds: 1 })
}

/** The 409 for a key that came before with another request. */
export function idempotencyConflict(): ServiceError {
  return new ServiceError(409, 'idempotency_conflict', 'This Idempotency-Key came before with another request')
}
