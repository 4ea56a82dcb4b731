import { ProtocolError } from '../errors/service-errors.ts'
import type { Task } from '../wire/tasks.ts'

/**
 * Whether a task has ended (interface: "`SUCCESS` and `FAILED` are terminal"). With any other status the task continues.
 */
export function isTerminal(task: Task): boolean {
  return task.status === 'SUCCESS' || task.status === 'FAILED'
}

/**
 * Checks that a response has a status, as a task must.
 * @throws ProtocolError otherwise
 */
export function checkTask(task: Task): Task {
  // The service may answer anything.
  const { status }: { status?: unknown } = new Object(task)
  if (typeof status !== 'string') throw new ProtocolError('The task has no status')
  return task
}
