import type { StoredTask } from './task-store.ts'

/** A claimed webhook call. */
export interface WebhookClaim {
  /** The same at every attempt. */
  readonly id: string
  readonly url: string
  /** The ended task. */
  readonly task: StoredTask
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** When the task ended, in milliseconds since 1970. */
  readonly createdAt: number
  /** The fencing token. */
  readonly token: number
}

/** State of a webhook. */
export type WebhookStatus = 'pending' | 'delivered' | 'failed'

/** State of a webhook and its last attempt. */
export interface WebhookState {
  readonly status: WebhookStatus
  readonly attempts: number
  /** Outcome of the last attempt, in a few words without the address. */
  readonly lastOutcome: string | undefined
  /** Time of the next attempt of a pending webhook, in milliseconds since 1970. */
  readonly nextAttemptAt: number | undefined
}

/** Outcome of an attempt. */
export interface WebhookOutcome {
  /** A few words without the address. */
  readonly outcome: string
  /** The final status, or milliseconds until the next attempt. */
  readonly next: 'delivered' | 'failed' | number
}

/**
 * Stores webhooks to call. {@link TaskStore.succeed} and {@link TaskStore.fail} fill it in the transaction that ends
 * the task. As with tasks, an attempt with a replaced lease records nothing.
 */
export interface WebhookOutbox {
  /**
   * Claims a due call for this many milliseconds. Tenants take turns. The tenant with the fewest calls in flight is
   * first. Of several, it is the tenant whose last turn is longest ago. Within a tenant, the longest due call is
   * first.
   * @param max Maximum calls per tenant in flight. @default no limit
   */
  claim(milliseconds: number, max?: number): Promise<WebhookClaim | undefined>
  /** Records an attempt. @returns `false` when the lease was lost. */
  record(claim: WebhookClaim, outcome: WebhookOutcome): Promise<boolean>
  /** Returns a call to the outbox without counting the attempt. @returns `false` when the lease was lost. */
  release(claim: WebhookClaim): Promise<boolean>
  /** Returns the state of a task's webhook, or `undefined` if the task has no webhook or has not ended. */
  stateOf(taskId: string): Promise<WebhookState | undefined>
  /** Ends every lease. Call it only while no other worker runs. */
  dropLeases(): Promise<number>
}
