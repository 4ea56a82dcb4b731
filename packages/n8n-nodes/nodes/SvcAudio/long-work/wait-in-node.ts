import type { Task } from '@svc-audio/core/pure'
import type { Item } from '../operations/item.ts'
import type { ItemOutput } from '../operations/operation.ts'
import { finishAudio } from './finish-audio.ts'
import { finishTranscript } from './finish-transcript.ts'
import type { FinishPlan, LongTask } from './plan.ts'

/** Time between two lines of the log while a task does not change, in milliseconds. */
const LOG_INTERVAL = 60_000

/**
 * Waits inside the node until a task has ended, and outputs its result. A run that is stopped ends the wait; the task
 * continues.
 * @throws TaskFailedError, TaskTimeoutError
 */
export async function waitInNode(item: Item, { taskId, plan, timeout }: LongTask): Promise<ItemOutput> {
  const audio = await item.audio()
  const task = await audio.tasks.wait(taskId, {
    signal: item.signal,
    onUpdate: progressLog(item, taskId),
    ...(timeout === 0 ? {} : { timeout }),
  })
  return finish(item, task, plan)
}

/** Outputs the result of a task that has ended with success. */
export async function finish(item: Item, task: Task, plan: FinishPlan): Promise<ItemOutput> {
  return plan.kind === 'audio' ? finishAudio(item, task, plan) : finishTranscript(item, task, plan)
}

/** Writes each status of a task to the log of n8n, and every minute that it still is the same. */
function progressLog({ context, index }: Item, taskId: string): (task: Task) => void {
  const start = performance.now()
  let last = ''
  let lastLog = 0
  return ({ status }) => {
    const now = performance.now()
    if (status === last && now - lastLog < LOG_INTERVAL) return
    last = status
    lastLog = now
    context.logger.info(progressLine({ taskId, index, status, elapsed: now - start }))
  }
}

/** What {@link progressLine} tells. */
export interface Progress {
  readonly taskId: string
  /** Number of the item. */
  readonly index: number
  readonly status: string
  /** Milliseconds since the wait began. */
  readonly elapsed: number
}

/** A line of the log about a task that n8n waits for. */
export function progressLine({ taskId, index, status, elapsed }: Progress): string {
  return `Svc Audio: task ${taskId} of item ${index} is ${status} after ${Math.round(elapsed / 1000)} seconds`
}
