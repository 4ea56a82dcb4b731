import { z } from 'zod'
import type { Services } from '../../services.ts'
import { inProgress } from './in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { findStored, storeAnswer } from './store.ts'

/** The stored response of a stream. */
const StreamAnswer = z.object({ task: z.string() })

/**
 * Returns the task of a repeated stream, if the task has succeeded. A failed stream and a deleted task free the key.
 * @throws ServiceError 409 `idempotency_in_progress` while the task runs; 409 `idempotency_conflict`
 */
export async function replayStream(
  { answers, tasks }: Pick<Services, 'answers' | 'tasks'>,
  terms: IdempotencyContext,
): Promise<string | undefined> {
  const kept = await findStored(answers, terms)
  if (kept === undefined || terms.idempotency === undefined) return undefined
  const { task: id } = StreamAnswer.parse(kept)
  const status = (await tasks.find(terms.tenant, id))?.status
  if (status === 'SUCCESS') return id
  if (status === 'PENDING' || status === 'PROCESSING') throw inProgress()
  await answers.drop(terms.tenant, terms.idempotency)
  return undefined
}

/**
 * Binds a key, if any, to the task of a stream before the stream starts.
 * @throws ServiceError 409 when another stream has taken the key
 */
export async function bindStream(
  { answers }: Pick<Services, 'answers'>,
  terms: IdempotencyContext,
  task: string,
): Promise<void> {
  const kept = StreamAnswer.parse(await storeAnswer(answers, terms, { task }))
  if (kept.task !== task) throw inProgress()
}
