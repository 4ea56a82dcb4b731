import type { Task } from '../wire/tasks.ts'
import { SvcAudioError } from './svc-audio-error.ts'

/** A task ended as `FAILED`. The interface does not document its error, so `error` is the service's value (interface: Errors). */
export class TaskFailedError extends SvcAudioError {
  static override readonly kind = 'TaskFailedError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TaskFailedError' as const
  /** The task that failed. */
  readonly taskId: string
  /** The task as the service sent it. */
  readonly task: Task
  /** The task's `error` as the service sent it. */
  readonly error: unknown
  /** The error's code, if it has one. */
  readonly code: string | undefined

  /** @param reason Code and message, as far as the error has them. */
  constructor(task: Task, reason: { readonly code?: string | undefined; readonly message?: string | undefined } = {}) {
    super(`The task ${task.id} failed: ${reason.message ?? reason.code ?? 'no message'}`)
    this.taskId = task.id
    this.task = task
    this.error = task.error
    this.code = reason.code
  }
}

/**
 * A wait for a task exceeded its deadline. The task continues: `tasks.wait(error.taskId)` resumes the wait, also in
 * another process.
 */
export class TaskTimeoutError extends SvcAudioError {
  static override readonly kind = 'TaskTimeoutError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TaskTimeoutError' as const
  /** The task. It continues: wait for it again. */
  readonly taskId: string
  /** The last state that the client read, if it read one. */
  readonly task: Task | undefined

  constructor(taskId: string, timeout: number, task?: Task) {
    const state = task?.status ?? 'not read'
    super(`The task ${taskId} was ${state} after ${timeout} ms: resume with tasks.wait("${taskId}")`)
    this.taskId = taskId
    this.task = task
  }
}

/** A result has no audio to download: it names no URL, is not ready, or its URL has expired and cannot be renewed. */
export class ResultUnavailableError extends SvcAudioError {
  static override readonly kind = 'ResultUnavailableError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ResultUnavailableError' as const
  /** Id of the task or result, if it has one. */
  readonly taskId: string | undefined

  constructor(message: string, options: { readonly cause?: unknown } & { readonly taskId?: string | undefined } = {}) {
    super(message, options)
    this.taskId = options.taskId
  }
}
