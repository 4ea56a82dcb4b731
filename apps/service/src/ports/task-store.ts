import type { Idempotency } from './idempotency.ts'
/** What a task makes, as `object` on the wire. */
export type TaskKind = 'audio.speech' | 'audio.voice_generation' | 'audio.transcription'

/** Where a task stands (interface: Task states). */
export type TaskStatus = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A task as it is stored. */
export interface StoredTask {
  readonly id: string
  readonly tenant: string
  readonly kind: TaskKind
  readonly status: TaskStatus
  readonly model: string
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly updatedAt: number
  /** The result's fields, once it succeeded. */
  readonly result?: JsonObject
  /** Once it failed. */
  readonly error?: TaskError
  /** Where its end is reported: without one it has no webhook. */
  readonly webhookUrl?: string
}

/** Why a task failed: no stack and no path. */
export interface TaskError {
  readonly code: string
  readonly message: string
}

/** A task to be made. */
export type NewTask = Pick<StoredTask, 'id' | 'tenant' | 'kind' | 'model'>

/** A task to be accepted: with all that anyone who does the work will need, and no other file. */
export interface TaskOrder extends NewTask {
  /** What to do, in the words of the use case that does it. */
  readonly request: JsonObject
  /** Name of the object it works on, which is durable already. */
  readonly input?: string
  /** Where its end is reported. */
  readonly webhookUrl?: string
  readonly idempotency?: Idempotency
  /** Refuses it when its tenant has so many tasks that have not ended. @default no limit */
  readonly mostOpen?: number
}

/** What became of an order. */
export type Acceptance =
  | { readonly outcome: 'accepted'; readonly task: StoredTask }
  /** The same request came before: this is its task, and nothing was stored of the new one. */
  | { readonly outcome: 'repeated'; readonly task: StoredTask }
  /** The key came before with another request. */
  | { readonly outcome: 'conflict' }
  /** The tenant has as many open tasks as it may have. Nothing was stored. */
  | { readonly outcome: 'full' }

/** The right to work on a task, for a while. A later lease on the same task has a higher token and ends this one. */
export interface Lease {
  readonly taskId: string
  /** The fencing token. */
  readonly token: number
}

/** A task to work on. */
export interface Claim extends Lease {
  readonly task: StoredTask
  /** `undefined` for a stream, which nobody can take up again. */
  readonly request: JsonObject | undefined
  readonly input: string | undefined
  /** How often it has been begun, this time included. */
  readonly attempt: number
}

/** What {@link TaskStore.claim} leaves alone. */
export interface ClaimOptions {
  /** Kinds of tasks that stay where they are, without losing their turn. @default none */
  readonly except?: readonly TaskKind[]
}

/** What {@link TaskStore.release} does. */
export interface ReleaseOptions {
  /** Time until it may be claimed again, in milliseconds. @default 0 */
  readonly delay?: number
  /** Whether the attempt counts: not when the task itself had no part in its end. @default true */
  readonly counts?: boolean
}

/**
 * Where tasks are stored. Whatever has resolved survives a crash. A terminal task never changes again. Every call is one
 * transaction, and none with a {@link Lease} has an effect once that lease was ended or replaced.
 */
export interface TaskStore {
  /** Keeps task, work and idempotency key together. The task is PENDING. */
  accept(order: TaskOrder): Promise<Acceptance>
  /** Makes a task that its maker is working on already: PROCESSING, leased for so many milliseconds. */
  begin(task: NewTask, milliseconds: number): Promise<Lease>
  /** `undefined` for an unknown id and for another tenant's. */
  find(tenant: string, id: string): Promise<StoredTask | undefined>
  /**
   * Takes the next task that is due and not leased, and makes it PROCESSING. Tenants take turns: first the one with the
   * fewest tasks in flight, then the one whose last turn is longest ago; within a tenant the oldest task.
   */
  claim(milliseconds: number, options?: ClaimOptions): Promise<Claim | undefined>
  /** Extends a lease, from now. `false` when it has been lost. */
  renew(lease: Lease, milliseconds: number): Promise<boolean>
  /** Ends the task, and puts its webhook, if it has one, into the outbox. `false` when the lease has been lost. */
  succeed(lease: Lease, result: JsonObject): Promise<boolean>
  /** As {@link TaskStore.succeed}. */
  fail(lease: Lease, error: TaskError): Promise<boolean>
  /** Hands the task back, to be claimed again. `false` when the lease has been lost. */
  release(lease: Lease, options?: ReleaseOptions): Promise<boolean>
  /** Ends every lease at once. Only for who knows that no other worker lives. */
  dropLeases(): Promise<number>
  /** Fails the unleased tasks with an input that were accepted before this time (Unix ms). @returns Their inputs. */
  expireInputs(before: number, error: TaskError): Promise<string[]>
  /** Which of these inputs belong to a task that has not ended. */
  inputsInUse(names: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these objects are the result of a task that has succeeded. Reads all tasks. */
  resultsInUse(names: readonly string[]): Promise<ReadonlySet<string>>
  /** Forgets tasks that ended before this time (Unix ms), with their keys and webhooks. @returns How many. */
  forget(before: number): Promise<number>
}
