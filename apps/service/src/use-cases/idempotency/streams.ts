import { z } from 'zod'
import type { Services } from '../../services.ts'
import { inProgress } from './in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { findStored, storeResponse } from './store.ts'

/** The stored response of a stream. */
const StreamResponse = z.object({ task: z.string() })

/**
 * Returns the task of a repeated stream, if the task has succeeded. A failed stream and a deleted task free the key.
 * @throws ServiceError 409 `idempotency_in_progress` while the task runs; 409 `idempotency_conflict`
 */
export async function replayStream(
  { responses, tasks }: Pick<Services, 'responses' | 'tasks'>,
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
  { responses }: Pick<Services, 'responses'>,
  terms: IdempotencyContext,
  task: string,
): Promise<void> {
  const kept = StreamResponse.parse(await storeResponse(responses, terms, { task }))
  if (kept.task !== task) throw inProgress()
}
