import type { AnswerStore } from '../ports/answer-store.ts'
import type { Idempotency, JsonObject } from '../ports/task-store.ts'
import { idempotencyConflict } from './keys-under-way.ts'

/** Whose request it is, and how it is recognized when it comes again. */
export interface KeyTerms {
  readonly tenant: string
  readonly idempotency: Idempotency | undefined
}

/**
 * What the same request was answered before.
 * @returns `undefined` for a new request, and for one without a key.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function recall(answers: AnswerStore, { tenant, idempotency }: KeyTerms): Promise<JsonObject | undefined> {
  if (idempotency === undefined) return undefined
  const known = await answers.find(tenant, idempotency)
  if (known.outcome === 'conflict') throw idempotencyConflict()
  return known.outcome === 'repeated' ? known.answer : undefined
}

/**
 * Keeps what a request is answered, if it has a key.
 * @returns The answer that counts: an earlier one, if the same request was answered in the meantime.
 * @throws ServiceError 409 `idempotency_conflict`
 */
export async function keepAnswer<Answer extends JsonObject>(
  answers: AnswerStore,
  { tenant, idempotency }: KeyTerms,
  answer: Answer,
): Promise<Answer | JsonObject> {
  if (idempotency === undefined) return answer
  const known = await answers.keep(tenant, idempotency, answer)
  if (known.outcome === 'conflict') throw idempotencyConflict()
  return known.outcome === 'repeated' ? known.answer : answer
}
