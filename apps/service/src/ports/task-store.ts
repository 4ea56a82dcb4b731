import type { TaskKind, WorkClass } from '../domain/task-kinds.ts'
import type { TaskTrace } from '../domain/task-trace.ts'
import type { Work } from '../domain/usage.ts'
import type { Expired, Expiry } from './expiry.ts'
import type { Idempotency, JsonObject } from './response-store.ts'

export type { TaskKind } from '../domain/task-kinds.ts'

/** State of a task (interface: Task states). */
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Every {@link TaskStatus}. */
export const TASK_STATUSES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED'] as const

/** A stored task. */
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
  /** The fields of the result, after success. */
  readonly result?: JsonObject
  /** After a failure. */
  readonly error?: TaskError
  /** Address that is called when the task ends, if any. */
  readonly webhookUrl?: string
  /** The request that the task comes from, if any. */
  readonly trace?: TaskTrace
}

/** Why a task failed: no stack and no path. */
export interface TaskError {
  readonly code: string
  readonly message: string
}

/** A task to create. */
export type NewTask = Pick<StoredTask, 'id' | 'tenant' | 'kind' | 'model' | 'trace'>

/** A task to accept, with everything that a worker needs. */
export interface TaskOrder extends NewTask {
  /** The stored request of its operation. */
  readonly request: JsonObject
  /** Name of its input object. The object is already durable. */
  readonly input?: string
  /** Address that is called when the task ends. */
  readonly webhookUrl?: string
  readonly idempotency?: Idempotency
  /** Estimated processor time of the task, in whole milliseconds, at least 1. @default 1000 */
  readonly cost?: number
  /** Refuses the task when its tenant has this many open tasks. @default no limit */
  readonly mostOpen?: number
}

/** Outcome of an order. */
export type Acceptance =
  | { readonly outcome: 'accepted'; readonly task: StoredTask }
  /** A repeated request, with its earlier task. Nothing was stored. */
  | { readonly outcome: 'repeated'; readonly task: StoredTask }
  /** The key belongs to another request. */
  | { readonly outcome: 'conflict' }
  /** The tenant has reached its limit of open tasks. Nothing was stored. */
  | { readonly outcome: 'full' }

/** A time-limited right to a task. A later lease on the same task has a higher token and ends this one. */
export interface Lease {
  readonly taskId: string
  /** The fencing token. */
  readonly token: number
}

/** A task to work on. */
export interface Claim extends Lease {
  readonly task: StoredTask
  /** `undefined` for a stream, which cannot be resumed. */
  readonly request: JsonObject | undefined
  readonly input: string | undefined
  /** How often the task was started, this time included. Starts that a crash of the process ended do not count. */
  readonly attempt: number
  /** How often the process ended while it worked on the task. 0 in a cluster, where such a start is an attempt. */
  readonly crashes: number
  /** How often the process ended while it ran this task alone, as a suspect. */
  readonly interruptions: number
}

/**
 * Crashes of the process after which the tasks that were running each time are suspects. One crash says little: a power
 * cut and a lack of memory end innocent tasks.
 */
export const SUSPECT_CRASHES = 2

/** What {@link TaskStore.claim} takes. */
export interface ClaimOptions {
  /** The work classes of the task: the first of them that has one. @default all */
  readonly workClasses?: readonly WorkClass[]
  /**
   * Whether to claim a suspect: a task that was running at {@link SUSPECT_CRASHES} crashes of the process. Other claims
   * take none. The least suspect is first. A cluster has no suspects. @default false
   */
  readonly suspects?: boolean
}

/** Options of {@link TaskStore.list}. */
export interface TaskQuery {
  readonly limit: number
  /** Only tasks in this state. @default all */
  readonly status?: TaskStatus
}

/** Options of {@link TaskStore.dropLeases}. */
export interface DropLeasesOptions {
  /**
   * Whether the process that held the leases has crashed. Its tasks then have a crash more and an attempt less. A
   * suspect that held the only lease has an interruption more. A cluster ignores it. @default false
   */
  readonly crashed?: boolean
}

/** Options of {@link TaskStore.release}. */
export interface ReleaseOptions {
  /** Milliseconds until the task may be claimed again. @default 0 */
  readonly delay?: number
  /** Whether the attempt counts. Set it to false when the attempt ended for a reason outside the task. @default true */
  readonly counts?: boolean
}

/** Longest time whose ended tasks are counted, in seconds. */
export const MOST_BACKLOG_SECONDS = 300

/**
 * Outcome of {@link TaskStore.backlog}. A waiting task is due and has no lease. Costs are estimated processor times, in
 * milliseconds.
 */
export interface BacklogState {
  /** Cost of the waiting tasks of each tenant that has some. */
  readonly waiting: ReadonlyMap<string, number>
  /** Waiting tasks of all tenants. */
  readonly tasks: number
  /** Seconds since the oldest of them was due, at most {@link MOST_BACKLOG_SECONDS}: all workers were busy that long. */
  readonly seconds: number
  /** Cost of the tasks that ended in these seconds. A cancelled task costs nothing. */
  readonly endedCost: number
  /** Tasks with a lease, and their cost. */
  readonly running: number
  readonly runningCost: number
  /** Maximum tasks per tenant that run at once. */
  readonly atOncePerTenant: number
}

/** The tasks of a tenant and kind, see {@link TaskStore.queue}. */
export interface QueueLine {
  readonly tenant: string
  readonly kind: TaskKind
  /** Tasks without a lease, those of a later retry too. */
  readonly waiting: number
  /** Tasks with a lease, streams too. */
  readonly running: number
  /** Estimated processor time of the waiting tasks, in milliseconds. */
  readonly cost: number
  /** Time since the oldest waiting task was due, in milliseconds. 0 without one. */
  readonly oldestMs: number
  /** Tasks that failed since a time. */
  readonly failed: number
  /** Whether waiting tasks and their cost are an estimate: the queue is long. @default false */
  readonly isEstimated?: boolean
  /** Whether more tasks may have failed: a cluster counts the newest ones of all tenants. @default false */
  readonly hasMoreFailed?: boolean
}

/** Outcome of {@link TaskStore.cancel}. */
export interface Cancellation {
  /** Whether this call has ended the task. */
  readonly cancelled: boolean
  /** Name of its input object, which is no longer in use. */
  readonly input: string | undefined
}

/**
 * Stores tasks. A resolved call survives a crash. A terminal task never changes. Every call is one transaction. A call
 * with an ended or replaced {@link Lease} has no effect.
 */
export interface TaskStore {
  /** Stores task, request and idempotency key in one transaction. The task is PENDING. */
  accept(order: TaskOrder): Promise<Acceptance>
  /** Creates a task in state PROCESSING with a lease of this many milliseconds: the task of a stream. */
  begin(task: NewTask, milliseconds: number): Promise<Lease>
  /** @returns `undefined` for an unknown id and for another tenant's. */
  find(tenant: string, id: string): Promise<StoredTask | undefined>
  /** Lists a tenant's tasks, the newest first: for operators, not for requests. */
  list(tenant: string, query: TaskQuery): Promise<StoredTask[]>
  /**
   * Claims the next due task without a lease, and makes it PROCESSING. Tenants take turns by cost. Each tenant has an
   * account for each work class. A claim adds the cost of its task. The tenant whose account is lowest is first. No
   * account is below that of the tenant of the last claim before that claim: a tenant gets no credit for its absence.
   * Of several, it is the tenant whose last turn in the work class is longest ago. Within a tenant, the oldest task is
   * first. A tenant at its limit of leases in a work class, streams not counted, waits for one to end. Claims at the
   * same time choose different tenants where they can.
   */
  claim(milliseconds: number, options?: ClaimOptions): Promise<Claim | undefined>
  /** Extends a lease, from now. @returns `false` when the lease was lost. */
  renew(lease: Lease, milliseconds: number): Promise<boolean>
  /**
   * Ends the task, enters its webhook into the outbox and counts its usage.
   * @param work What the task counts as. @default only the task itself
   * @returns `false` when the lease was lost
   */
  succeed(lease: Lease, result: JsonObject, work?: Work): Promise<boolean>
  /** As {@link TaskStore.succeed}. */
  fail(lease: Lease, error: TaskError, work?: Work): Promise<boolean>
  /**
   * Fails a task that has not ended under any lease, and enters its webhook into the outbox. An ended task stays
   * as it is.
   * @returns `undefined` for an unknown id and for another tenant's
   */
  cancel(tenant: string, id: string, error: TaskError): Promise<Cancellation | undefined>
  /** Returns the task to the queue, and the cost of an attempt that does not count. @returns `false` when the lease was lost. */
  release(lease: Lease, options?: ReleaseOptions): Promise<boolean>
  /** Ends every lease. Call it only while no other worker runs. @returns The number of leases */
  dropLeases(options?: DropLeasesOptions): Promise<number>
  /** Counts the suspects, see {@link ClaimOptions.suspects}. */
  countSuspects(): Promise<number>
  /** Fails tasks with an input that were accepted before a time and have no lease. */
  expireInputs(expiry: Expiry, error: TaskError): Promise<Expired>
  /** Reads what a new task of a work class would wait for. Streams do not count. */
  backlog(workClass: WorkClass): Promise<BacklogState>
  /**
   * Reads the queue of all tenants, by tenant and kind: for operators, not for requests.
   * @param failedSince Tasks that failed before do not count. Milliseconds since 1970
   */
  queue(failedSince: number): Promise<QueueLine[]>
  /**
   * Accepts the request of a failed task once more, as a new task with the same webhook. The failed task stays as it is:
   * its state is final. The stored request and its input then belong to the new task.
   * @returns `undefined` when no request of that task is stored
   */
  retry(tenant: string, id: string, newId: string): Promise<StoredTask | undefined>
  /** Deletes the requests of tasks that failed before a time. */
  expireRequests(expiry: Expiry): Promise<Expired>
  /** Returns the names that are inputs of open tasks, or of failed ones whose requests are stored. */
  inputsInUse(names: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns the names that are results of succeeded tasks. Reads all tasks. */
  resultsInUse(names: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Deletes tasks that ended before a time, with their keys and webhooks. A task whose webhook is being recorded stays
   * until another turn. Names no objects.
   */
  forget(expiry: Expiry): Promise<Expired>
}

/** How long tasks of a tenant wait. */
export interface Backlog {
  /**
   * Refuses a task that would wait too long.
   * @throws ServiceError 429 `queue_too_long`, with the time after which the wait is short enough
   */
  requireShort(tenant: string, kind: TaskKind): Promise<void>
  /**
   * Returns a sensible interval of polls for a waiting task of a tenant, in seconds: from 1 to 60. Never throws.
   */
  pollSeconds(tenant: string, kind: TaskKind): Promise<number>
}
