import type { Task, TaskCreation } from '@svc-audio/core/interface'
import type { ResultLinks } from '../../domain/result-links.ts'
import type { StoredTask } from '../../ports/task-store.ts'
import { KINDS_WITH_MODEL } from '../../domain/task-kinds.ts'
import type { WebhookState } from '../../ports/webhook-outbox.ts'

/** Seconds between two polls of an open task: `retry_after`. */
export const RETRY_AFTER_SECONDS = 1

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
