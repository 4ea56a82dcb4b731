/** Identifies a repeated request. */
export interface Idempotency {
  /** The caller's idempotency key, unique within the tenant. */
  readonly key: string
  /** Hash of the whole request. */
  readonly fingerprint: string
}

/** The tenant of a request, and its idempotency key if any. */
export interface IdempotencyContext {
  readonly tenant: string
  readonly idempotency: Idempotency | undefined
}

/** The idempotency keys of requests in flight. */
export interface KeysInFlight {
  /**
   * Refuses a key in flight.
   * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict` when the key belongs to another
   * request
   */
  check(tenant: string, idempotency: Idempotency): Promise<void>
  /**
   * Marks a key as in flight.
   * @returns Releases the key.
   * @throws ServiceError as {@link KeysInFlight.check}
   */
  take(tenant: string, idempotency: Idempotency): Promise<() => void>
  /**
   * Runs short work while no other work with the same key runs. The second of two simultaneous requests then finds
   * what the first one stored. Without a key the work runs at once.
   * @throws What `work` throws. The next work with the key still runs
   */
  inTurn<T>(context: IdempotencyContext, work: () => Promise<T>): Promise<T>
}
