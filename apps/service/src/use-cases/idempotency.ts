import { z } from 'zod'
import { ServiceError } from '../domain/service-error.ts'
import type {
  Idempotency,
  IdempotencyContext,
  JsonObject,
  KeysInFlight,
  ResponseStore,
} from '../ports/response-store.ts'
import type { KeyLocks } from '../ports/processes.ts'
import type { Using } from '../services.ts'

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

/**
 * Idempotency keys in flight on any machine. Work in turn waits for work of the same process only: between processes
 * the stores decide which of two simultaneous requests is the first.
 */
export function createSharedKeys(holds: KeyLocks): KeysInFlight {
  const local = new InFlightKeys()
  const check = async (tenant: string, { key, fingerprint }: Idempotency): Promise<void> => {
    const running = await holds.find(tenant, key)
    if (running !== undefined) throw running === fingerprint ? inProgress() : idempotencyConflict()
  }
  return {
    check,
    async take(tenant, idempotency) {
      const release = await holds.hold(tenant, idempotency)
      if (release !== undefined) return release
      await check(tenant, idempotency)
      // Its holder has released it at this moment.
      throw inProgress()
    },
    inTurn: (context, work) => local.inTurn(context, work),
  }
}

/**
 * Finds the stored response of the same request.
 * @returns `undefined` for a new request, and for one without a key.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function findStored(
  responses: ResponseStore,
  { tenant, idempotency }: IdempotencyContext,
): Promise<JsonObject | undefined> {
  if (idempotency === undefined) return undefined
  const known = await responses.find(tenant, idempotency)
  if (known.outcome === 'conflict') throw idempotencyConflict()
  return known.outcome === 'repeated' ? known.answer : undefined
}

/**
 * Stores the response of a request that has a key.
 * @returns The response to send: an earlier one, if the same request was answered in the meantime.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function storeResponse<Answer extends JsonObject>(
  responses: ResponseStore,
  { tenant, idempotency }: IdempotencyContext,
  response: Answer,
): Promise<Answer | JsonObject> {
  if (idempotency === undefined) return response
  const known = await responses.keep(tenant, idempotency, response)
  if (known.outcome === 'conflict') throw idempotencyConflict()
  return known.outcome === 'repeated' ? known.answer : response
}

/** Where stored responses are found. */
export type ReplayServices = Using<'stores.responses' | 'stores.keysInFlight'>

/**
 * Returns the stored response of a repeated request, without checking quotas, limits, files or voices again.
 * @throws ServiceError 409 `idempotency_conflict`; 409 `idempotency_in_progress`
 */
export async function replayEnded(
  { stores: { responses, keysInFlight } }: ReplayServices,
  terms: IdempotencyContext,
): Promise<JsonObject | undefined> {
  if (terms.idempotency !== undefined) await keysInFlight.check(terms.tenant, terms.idempotency)
  return findStored(responses, terms)
}

/** Work whose result is not stored: a repeated request does it again. */
export interface RepeatableWork {
  /** Whether the same request has succeeded before. Its work is then not counted again. */
  readonly isRepeated: boolean
  /**
   * Remembers that the request has succeeded. A failed one leaves its key free.
   * @throws ServiceError 409 `idempotency_conflict`
   */
  readonly succeeded: () => Promise<void>
}

/**
 * Tells whether a request repeats one that has succeeded.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function repeatableWork(
  { stores: { responses } }: Using<'stores.responses'>,
  terms: IdempotencyContext,
): Promise<RepeatableWork> {
  const isRepeated = (await findStored(responses, terms)) !== undefined
  return {
    isRepeated,
    async succeeded() {
      if (!isRepeated) await storeResponse(responses, terms, {})
    },
  }
}

/** The stored response of a stream. */
const StreamResponse = z.object({ task: z.string() })

/**
 * Returns the task of a repeated stream, if the task has succeeded. A failed stream and a deleted task free the key.
 * @throws ServiceError 409 `idempotency_in_progress` while the task runs; 409 `idempotency_conflict`
 */
export async function replayStream(
  { stores: { responses, tasks } }: Using<'stores.responses' | 'stores.tasks'>,
  terms: IdempotencyContext,
): Promise<string | undefined> {
  const kept = await findStored(responses, terms)
  if (kept === undefined || terms.idempotency === undefined) return undefined
  const { task: id } = StreamResponse.parse(kept)
  const status = (await tasks.find(terms.tenant, id))?.status
  if (status === 'SUCCESS') return id
  if (status === 'PENDING' || status === 'PROCESSING') throw inProgress()
  await responses.drop(terms.tenant, terms.idempotency)
  return undefined
}

/**
 * Binds a key, if any, to the task of a stream before the stream starts.
 * @throws ServiceError 409 when another stream has taken the key
 */
export async function bindStream(
  { stores: { responses } }: Using<'stores.responses'>,
  terms: IdempotencyContext,
  task: string,
): Promise<void> {
  const kept = StreamResponse.parse(await storeResponse(responses, terms, { task }))
  if (kept.task !== task) throw inProgress()
}
