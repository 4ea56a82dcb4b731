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
  /** Whether the receiver did not respond in time. @default false */
  readonly timedOut?: boolean
}

/** Most calls to a receiver in flight. A slow one has one. The schemas of the databases have the same numbers. */
export const CALLS_PER_RECEIVER = 4

/** Which call to claim. */
export interface WebhookClaimOptions {
  /** Whether to call a slow receiver: one that did not respond in time twice in a row. @default false */
  readonly slow?: boolean
  /** Maximum calls in flight of a tenant to its receivers, or to its slow ones. @default no limit */
  readonly max?: number
}

/**
 * Stores webhooks to call. {@link TaskStore.succeed} and {@link TaskStore.fail} fill it in the transaction that ends
 * the task. As with tasks, an attempt with a replaced lease records nothing.
 */
export interface WebhookOutbox {
  /**
   * Claims a due call for this many milliseconds. Tenants take turns, and so do the receivers of a tenant: scheme, host
   * and port of an address. The one with the fewest calls in flight is first. Of several, it is the one that has waited
   * longest, since its call was due or since its last turn. Within a receiver, the longest due call is first. The work
   * does not depend on the number of tenants, receivers and calls.
   *
   * A clock that goes back delays no receiver for its turns at the later time: while it runs in a database with a clock
   * of its own, else after {@link WebhookOutbox.dropLeases}.
   */
  claim(milliseconds: number, options?: WebhookClaimOptions): Promise<WebhookClaim | undefined>
  /** Records an attempt. @returns `false` when the lease was lost. */
  record(claim: WebhookClaim, outcome: WebhookOutcome): Promise<boolean>
  /** Returns a call to the outbox without counting the attempt. @returns `false` when the lease was lost. */
  release(claim: WebhookClaim): Promise<boolean>
  /** Returns the state of a task's webhook, or `undefined` if the task has no webhook or has not ended. */
  stateOf(taskId: string): Promise<WebhookState | undefined>
  /** Ends every lease. Call it only while no other worker runs. */
  dropLeases(): Promise<number>
}

/** The policy forbids the address. The message names only the host. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError' as const
}

/** The receiver did not answer in time. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError' as const

  /** @param milliseconds The time limit that passed. */
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`)
  }
}

/** A message to post. */
export interface WebhookMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends webhooks. A driver connects only to the URL's own host, at a permitted address. */
export interface WebhookSender {
  /**
   * Posts a message once. It does not follow redirects or read the body of the response.
   * @returns The status of the response.
   * @throws ForbiddenAddressError before anything is sent; NoResponseError; the system's Error when the connection
   * fails; the signal's reason
   */
  post(message: WebhookMessage, signal: AbortSignal): Promise<number>
}

/** The secrets that sign webhooks. */
export interface WebhookSecrets {
  /** Returns the tenant's secret: `whsec_` and Base64 (Standard Webhooks). The first call creates it. */
  secretOf(tenant: string): Promise<string>
  /** Returns the tenant's secret, then former ones that still sign after a rotation. */
  secretsOf(tenant: string): Promise<readonly string[]>
}
