/** How a request is recognized when it comes again. */
export interface Idempotency {
  /** The caller's own word for the request, unique within the tenant. */
  readonly key: string
  /** Hash of everything the request said. */
  readonly fingerprint: string
}

/** Whose request it is, and how it is recognized when it comes again. */
export interface IdempotencyContext {
  readonly tenant: string
  readonly idempotency: Idempotency | undefined
}

/** The idempotency keys of requests that are being answered in this process. */
export interface KeysInFlight {
  /**
   * Refuses a key that is in flight.
   * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict` when it is with another request
   */
  check(tenant: string, idempotency: Idempotency): void
  /**
   * Takes a key.
   * @returns Gives the key back.
   * @throws ServiceError as {@link KeysInFlight.check}
   */
  take(tenant: string, idempotency: Idempotency): () => void
  /**
   * Runs work when no other work with the same key runs, so that of two requests at once the second finds what the first
   * has stored, and needs no room of its own. For short work. Without a key the work runs at once.
   * @throws What `work` throws; the next one runs all the same
   */
  inTurn<T>(context: IdempotencyContext, work: () => Promise<T>): Promise<T>
}
