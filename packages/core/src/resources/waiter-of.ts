import { TaskWaiter } from '../tasks/task-waiter.ts'
import type { ClientContext } from './context.ts'
import { retrieveTask } from './retrieve-task.ts'

/** Deadline of one poll of a task, in milliseconds. The next poll is a new request. */
const POLL_TIMEOUT = 60_000

/**
 * The scheduler of all waits of a client. It is created with the first wait, so an app without tasks does not bundle it.
 * A derived client shares the scheduler of its parent.
 */
export function waiterOf(context: ClientContext): TaskWaiter {
  const { api, random, checkOptions, parent } = context
  context.waiter ??= new TaskWaiter(
    {
      read: (id, signal) => retrieveTask(api, id, { signal, maxRetries: 0, timeout: POLL_TIMEOUT }),
      clock: api.clock,
      random,
      redact: api.redact,
      checkOptions,
    },
    parent && waiterOf(parent),
  )
  return context.waiter
}
