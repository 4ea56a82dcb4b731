import { z } from 'zod'
import type { Services } from '../../services.ts'
import { inProgress } from './in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { findStored, storeAnswer } from './store.ts'

/** The stored answer of a stream. */
const StreamAnswer = z.object({ task: z.string() })

/**
 * The task of the same stream, if that has succeeded. A stream that failed, or whose task was deleted, leaves its key
 * free.
 * @throws ServiceError 409 `idempotency_in_progress` while its task runs; 409 `idempotency_conflict`
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
 * Binds a key, if there is one, to the task of a stream that is about to start.
 * @throws ServiceError 409 when another stream has taken it
 */
export async function bindStream(
  { answers }: Pick<Services, 'answers'>,
  terms: IdempotencyContext,
  task: string,
): Promise<void> {
  const kept = StreamAnswer.parse(await storeAnswer(answers, terms, { task }))
  if (kept.task !== task) throw inProgress()
}
