import { checkOptions } from '../../src/adapter.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import type { Task } from '../../src/index.ts'
import { TaskWaiter, type TaskWaiterOptions } from '../../src/tasks/index.ts'

/** Makes a task of the service. */
export function task(id: string, status: string, more: Readonly<Record<string, unknown>> = {}): Task {
  return { id, object: 'audio.speech', status, created_at: 1, updated_at: 2, ...more }
}

/** One read that reached the server. */
export interface ScriptedRead {
  readonly id: string
  /** Time of the read, by the clock. */
  readonly at: number
  readonly signal: AbortSignal
  /** Answers the read, if the script left it open. */
  readonly answer: (response: Task | Error) => void
}

/** A waiter on a manual clock, with its server. */
export interface ScriptedTasks {
  readonly clock: ManualClock
  readonly waiter: TaskWaiter
  readonly reads: ScriptedRead[]
  /** Times of the reads of a task, in milliseconds. */
  readonly times: (id?: string) => number[]
}

/**
 * @param script Answers to the reads of a task, in order. The last one repeats. `undefined` leaves a read open until
 *   its signal aborts or the test answers it.
 */
export function scriptedTasks(
  script: (id: string) => readonly (Task | Error | undefined)[],
  options: Partial<TaskWaiterOptions> = {},
): ScriptedTasks {
  const clock = manualClock()
  const reads: ScriptedRead[] = []
  const read = (id: string, signal: AbortSignal): Promise<Task> =>
    new Promise((resolve, reject) => {
      const respond = (value: Task | Error): void => {
        if (value instanceof Error) reject(value)
        else resolve(value)
      }
      const count = reads.filter((one) => one.id === id).length
      reads.push({ id, at: clock.now(), signal, answer: respond })
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      const next = script(id)[Math.min(count, script(id).length - 1)]
      if (next !== undefined) respond(next)
    })
  const waiter = new TaskWaiter({ read, clock, random: () => 0, checkOptions, ...options })
  return {
    clock,
    waiter,
    reads,
    times: (id) => reads.filter((one) => id === undefined || one.id === id).map(({ at }) => at),
  }
}

/** Reports how a promise settled, without waiting for it. */
export function watchPromise(promise: Promise<unknown>): {
  state: 'pending' | 'resolved' | 'rejected'
  value: unknown
} {
  const watched: { state: 'pending' | 'resolved' | 'rejected'; value: unknown } = { state: 'pending', value: undefined }
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (value: unknown) => Object.assign(watched, { state: 'rejected', value }),
  )
  return watched
}
