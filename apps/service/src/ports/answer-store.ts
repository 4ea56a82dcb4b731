import type { Idempotency } from './idempotency.ts'
import type { JsonObject } from './task-store.ts'

/** What is known of an idempotency key. */
export type KnownKey =
  /** It never came, or came too long ago. */
  | { readonly outcome: 'new' }
  /**
   * The same request came before: this is what it was answered. `task` in it is the task that it made, `file` the file,
   * with all that was known of it when it has been deleted since.
   */
  | { readonly outcome: 'repeated'; readonly answer: JsonObject }
  /** The key came before with another request, whatever that was for. */
  | { readonly outcome: 'conflict' }

/**
 * What requests with an idempotency key were answered. A key that has made a task to be worked on, or a file, is stored
 * with that, and found here too. Whatever has resolved survives a crash; every call is one transaction.
 */
export interface AnswerStore {
  /** What is known of a key, whatever the request was for. */
  find(tenant: string, idempotency: Idempotency): Promise<KnownKey>
  /** Keeps an answer if the key is new; tells what was known before. Of several at once, the first counts. */
  keep(tenant: string, idempotency: Idempotency, answer: JsonObject): Promise<KnownKey>
  /** Deletes the answer, so that the key is free again. */
  drop(tenant: string, idempotency: Idempotency): Promise<void>
  /** Forgets answers that were stored before this time (Unix ms). @returns How many. */
  expire(before: number): Promise<number>
}
