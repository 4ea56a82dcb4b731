import type { Claim, TaskKind } from '../ports/task-store.ts'
import type { TaskOperation } from '../use-cases/tasks/task-operation.ts'
import { ENDPOINTS } from './index.ts'

/** Every operation that can be a task. */
const TASK_OPERATIONS: readonly TaskOperation[] = ENDPOINTS.flatMap(({ task }) => task ?? [])

/**
 * Returns the operation of a task: it has the same kind and can read the stored request.
 * @throws TypeError for a task of an operation that this version does not know
 */
export function operationOf({ task, request }: Claim): TaskOperation {
  const operation = TASK_OPERATIONS.find(
    (candidate) => candidate.object === task.kind && candidate.request.safeParse(request).success,
  )
  if (operation === undefined) throw new TypeError(`No operation performs this ${task.kind} task`)
  return operation
}

/** Returns the engine that all tasks of a kind need. */
export function engineOf(kind: TaskKind): TaskOperation['engine'] {
  const operation = TASK_OPERATIONS.find(({ object }) => object === kind)
  if (operation === undefined) throw new TypeError(`No operation makes ${kind}`)
  return operation.engine
}
