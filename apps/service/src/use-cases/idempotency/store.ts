import type { ResponseStore } from '../../ports/response-store.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import { idempotencyConflict } from './in-flight.ts'

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
