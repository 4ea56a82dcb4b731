import type { Task } from '../wire/tasks.ts'
import { SvcAudioError } from './svc-audio-error.ts'

/**
 * A wait for a task took too long. The task itself goes on: `tasks.wait(error.taskId)` takes the wait up again, in
 * another process too.
 */
export class TaskTimeoutError extends SvcAudioError {
  override readonly name = 'TaskTimeoutError' as const
  readonly taskId: string
  /** The task as it was last read, where it was. */
  readonly task: Task | undefined

  constructor(taskId: string, timeout: number, task?: Task) {
    const state = task?.status ?? 'not read'
    super(`The task ${taskId} was ${state} after ${timeout} ms: wait on with tasks.wait("${taskId}")`)
    this.taskId = taskId
    this.task = task
  }
}
