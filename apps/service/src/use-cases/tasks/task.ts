import type { Task, TaskCreation } from '@svc-audio/core/interface'
import type { z } from 'zod'
import type { ResultLinks } from '../../domain/result-links.ts'
import { KINDS_WITH_MODEL } from '../../domain/task-kinds.ts'
import type { WorkMeter } from '../../domain/usage.ts'
import type { EngineName } from '../../ports/engines.ts'
import type { JsonObject } from '../../ports/response-store.ts'
import type { Claim, StoredTask, TaskKind } from '../../ports/task-store.ts'
import type { WebhookState } from '../../ports/webhook-outbox.ts'
import type { Services } from '../../services.ts'

/** The output of a task. */
export interface TaskOutput {
  readonly result: JsonObject
  /** Name of the object in the output, if any. */
  readonly file?: string
  /** Id of the uploaded file that the request names, if any. */
  readonly usedFile?: string
}

/** An operation as the workers see it: the storage and execution of its tasks. */
export interface TaskOperation {
  /** The kind of its tasks, and `object` on the wire. Operations may share a kind. */
  readonly object: TaskKind
  /** The engine that all of its tasks need. */
  readonly engine: EngineName
  /** Schema of the stored request. It tells the operations of a kind apart. Never change its form. */
  readonly request: z.ZodType<object>
  /**
   * Performs a task. The name of its object contains the claim: a worker that has lost its lease cannot touch the
   * object of another worker.
   * @throws ServiceError when the request cannot be performed; errors of the engine
   */
  performTask(services: Services, claim: Claim, options: TaskOptions): Promise<TaskOutput>
}

/** Signal and meter of a task. */
export interface TaskOptions {
  /** Stops the work. */
  readonly signal: AbortSignal
  /** Measures the work. */
  readonly meter: WorkMeter
}

/** Tenant, signal and meter of work, of a task or of a call without one. */
export interface WorkOptions {
  readonly tenant: string
  /** Id of the task, the stream or the file. @default the work has none */
  readonly id?: string | undefined
  /** Stops the work. */
  readonly signal: AbortSignal
  /** Measures the work. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
}

/** Seconds between two polls of an open task: `retry_after`. */
const RETRY_AFTER_SECONDS = 1

/** Returns an accepted task as the interface shows it (interface: Asynchronous creation result). */
export function viewCreation(
  { id, kind, model, status, createdAt, updatedAt }: StoredTask,
  retryAfterSeconds: number = RETRY_AFTER_SECONDS,
): TaskCreation {
  return {
    id,
    task_id: id,
    object: kind,
    status,
    ...(KINDS_WITH_MODEL.has(kind) ? { model_id: model } : {}),
    retry_after: retryAfterSeconds,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/**
 * Returns a task as the interface shows it. The fields of the result are at the top level. `retry_after` is present
 * until the state is terminal. Each call creates the URL of the result again: it has never expired.
 */
export function viewTask(task: StoredTask, links: ResultLinks, retryAfterSeconds: number = RETRY_AFTER_SECONDS): Task {
  const { file, ...result } = task.result ?? {}
  return {
    id: task.id,
    object: task.kind,
    status: task.status,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    ...(task.status === 'PENDING' || task.status === 'PROCESSING' ? { retry_after: retryAfterSeconds } : {}),
    ...(typeof file === 'string' ? { url: links.create(file) } : {}),
    ...result,
    ...(task.error === undefined ? {} : { error: task.error }),
  }
}

/** Returns the state of an ended task's webhook: an additional field that the interface does not have. */
export function viewWebhook(state: WebhookState | undefined): { readonly webhook?: object } {
  if (state === undefined) return {}
  const { status, attempts, lastOutcome, nextAttemptAt } = state
  const webhook = {
    status,
    attempts,
    ...(lastOutcome === undefined ? {} : { last_outcome: lastOutcome }),
    ...(nextAttemptAt === undefined ? {} : { next_attempt_at: Math.ceil(nextAttemptAt / 1000) }),
  }
  return { webhook }
}
