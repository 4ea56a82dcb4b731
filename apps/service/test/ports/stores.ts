import type { AnswerStore } from '../../src/ports/answer-store.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import type { WebhookOutbox } from '../../src/ports/webhook-outbox.ts'

/** The stores of a driver, empty, on a clock whose hands the test turns. */
export interface Stores {
  readonly tasks: TaskStore
  readonly outbox: WebhookOutbox
  readonly answers: AnswerStore
  /** Milliseconds since 1970; starts at {@link START}. */
  readonly clock: { now: number }
  /** The same stores as another process would see them: opened again on the same data. */
  reopen(): Promise<Pick<Stores, 'tasks' | 'outbox' | 'answers'>>
  close(): Promise<void>
}

/** Makes the stores of a driver. */
export type OpenStores = (options?: {
  /** Tasks of one tenant that may be leased at the same time. */
  readonly atOncePerTenant?: number
}) => Promise<Stores>

/** When a test begins. */
export const START = 1_800_000_000_000
