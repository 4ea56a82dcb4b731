import type { StoredTask } from './task-store.ts'

/** A call to be made, taken from the outbox. */
export interface WebhookClaim {
  /** The same at every attempt. */
  readonly id: string
  readonly url: string
  /** The task as it ended. */
  readonly task: StoredTask
  /** How often it has been tried, this time included. */
  readonly attempt: number
  /** When the task ended: milliseconds since 1970. */
  readonly createdAt: number
  /** The fencing token. */
  readonly token: number
}

/** Whether a webhook still has to be called. */
export type WebhookStatus = 'pending' | 'delivered' | 'failed'

/** How a webhook stands. */
export interface WebhookState {
  readonly status: WebhookStatus
  readonly attempts: number
  /** What the last attempt came to, in a few words without the address. */
  readonly lastOutcome: string | undefined
  /** Milliseconds since 1970, while it is pending. */
  readonly nextAttemptAt: number | undefined
}

/** What an attempt came to. */
export interface WebhookOutcome {
  /** A few words without the address. */
  readonly outcome: string
  /** What follows: the end, or another attempt after so many milliseconds. */
  readonly next: 'delivered' | 'failed' | number
}

/**
 * Webhooks to be called. {@link TaskStore.succeed} and {@link TaskStore.fail} fill it, in the transaction that ends the
 * task. As with tasks, an attempt whose lease was replaced records nothing.
 */
export interface WebhookOutbox {
  /**
   * Takes a call that is due, for so many milliseconds. Tenants take turns: first the one with the fewest calls under
   * way, then the one whose last turn is longest ago; within a tenant the call that is due longest.
   * @param most Calls of one tenant that may be in flight at the same time. @default no limit
   */
  claim(milliseconds: number, most?: number): Promise<WebhookClaim | undefined>
  /** Records an attempt. `false` when the lease has been lost. */
  record(claim: WebhookClaim, outcome: WebhookOutcome): Promise<boolean>
  /** Hands a call back as if it had not been tried. `false` when the lease has been lost. */
  release(claim: WebhookClaim): Promise<boolean>
  /** The state of a task's webhook; `undefined` when it has none or has not ended. */
  stateOf(taskId: string): Promise<WebhookState | undefined>
  /** Ends every lease at once. Only for who knows that no other worker lives. */
  dropLeases(): Promise<number>
}
