import type { Idempotency, JsonObject } from './task-store.ts'

/** What is known of an idempotency key. */
export type KnownKey =
  /** It never came, came too long ago, or made a task with this request. */
  | { readonly outcome: 'new' }
  /** The same request came before: this is what it was answered. */
  | { readonly outcome: 'repeated'; readonly answer: JsonObject }
  /** The key came before with another request, whatever that was for. */
  | { readonly outcome: 'conflict' }

/**
 * What requests with an idempotency key were answered, apart from those that have made a task to be worked on: such a
 * key is kept with its task. Whatever has resolved survives a crash; every call is one transaction.
 */
export interface AnswerStore {
  find(tenant: string, idempotency: Idempotency): Promise<KnownKey>
  /** Keeps an answer if the key is new; tells what was known before. Of several at once, the first counts. */
  keep(tenant: string, idempotency: Idempotency, answer: JsonObject): Promise<KnownKey>
  /** Forgets the answer, so that the request may be tried again. */
  drop(tenant: string, idempotency: Idempotency): Promise<void>
  /** Forgets answers that were kept before this time (Unix ms). @returns How many. */
  expire(before: number): Promise<number>
}
