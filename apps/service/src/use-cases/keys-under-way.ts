import { ServiceError } from '../domain/service-error.ts'
import type { Idempotency } from '../ports/task-store.ts'

/**
 * The idempotency keys of requests that are being answered in this process. After a crash nothing is under way; what has
 * been made by then is in the stores.
 */
export class KeysUnderWay {
  readonly #fingerprints = new Map<string, string>()

  /**
   * Refuses a key that is under way.
   * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict` when it is with another request
   */
  check(tenant: string, { key, fingerprint }: Idempotency): void {
    const running = this.#fingerprints.get(nameOf(tenant, key))
    if (running !== undefined) throw running === fingerprint ? inProgress() : idempotencyConflict()
  }

  /**
   * Takes a key.
   * @returns How to give it back.
   * @throws ServiceError as {@link KeysUnderWay.check}
   */
  take(tenant: string, idempotency: Idempotency): () => void {
    this.check(tenant, idempotency)
    const name = nameOf(tenant, idempotency.key)
    this.#fingerprints.set(name, idempotency.fingerprint)
    return () => this.#fingerprints.delete(name)
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
