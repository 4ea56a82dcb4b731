import type { Expired, Expiry } from './expiry.ts'

/** The stored state of an idempotency key. */
export type KnownKey =
  /** The key is unknown, or its response has expired. */
  | { readonly outcome: 'new' }
  /**
   * A repeated request, with its stored response. `task` in the response is the task that the request created. `file` is
   * the file, with its fields if it was deleted later.
   */
  | { readonly outcome: 'repeated'; readonly answer: JsonObject }
  /** The key belongs to another request, of any kind. */
  | { readonly outcome: 'conflict' }

/**
 * Stores the responses of requests with an idempotency key. The key of a queued task or a file is stored with that task
 * or file, and is found here too. A resolved call survives a crash. Every call is one transaction.
 */
export interface ResponseStore {
  /** Finds a key, of any kind of request. */
  find(tenant: string, idempotency: Idempotency): Promise<KnownKey>
  /**
   * Stores a response if the key is new. Of simultaneous calls, the first one counts. @returns The state of the key
   * before the call.
   */
  keep(tenant: string, idempotency: Idempotency, response: JsonObject): Promise<KnownKey>
  /** Deletes the response. The key is then new again. */
  drop(tenant: string, idempotency: Idempotency): Promise<void>
  /** Deletes responses that were stored before a time. */
  expire(expiry: Expiry): Promise<Expired>
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

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
