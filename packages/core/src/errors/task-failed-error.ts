import type { Task } from '../wire/tasks.ts'
import { SvcAudioError } from './svc-audio-error.ts'

/** A task ended in `FAILED`. The structure of its error is undocumented, so it is passed on unchanged (interface: Errors). */
export class TaskFailedError extends SvcAudioError {
  override readonly name = 'TaskFailedError' as const
  readonly taskId: string
  /** The task as the service sent it. */
  readonly task: Task
  /** The task's `error` as the service sent it. */
  readonly error: unknown
  /** The error's code, where one could be read. */
  readonly code: string | undefined

  /** @param reason What could be read of the task's error. */
  constructor(task: Task, reason: { readonly code?: string | undefined; readonly message?: string | undefined } = {}) {
    super(`The task ${task.id} failed: ${reason.message ?? reason.code ?? 'no message'}`)
    this.taskId = task.id
    this.task = task
    this.error = task.error
    this.code = reason.code
  }
}
