import { ProtocolError } from '../errors/service-errors.ts'
import type { Task } from '../wire/tasks.ts'

/** Whether a task is over (interface: "`SUCCESS` and `FAILED` are terminal"). Any other word means that it goes on. */
export function isTerminal(task: Task): boolean {
  return task.status === 'SUCCESS' || task.status === 'FAILED'
}

/**
 * An answer that has a state, as a task must.
 * @throws ProtocolError otherwise
 */
export function checkTask(task: Task): Task {
  // What the service answers may be anything.
  const { status }: { status?: unknown } = new Object(task)
  if (typeof status !== 'string') throw new ProtocolError('The task has no status')
  return task
}
