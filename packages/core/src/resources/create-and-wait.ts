import { ProtocolError } from '../errors/service-errors.ts'
import type { WaitOptions } from '../tasks/wait-options.ts'
import type { CallOptions } from '../transport/call.ts'
import type { Task } from '../wire/tasks.ts'
import type { TaskHandle } from './task-handle.ts'

/** Options of `createAndWait()`. `timeout` and `signal` cover the creation and the wait together. */
export interface CreateAndWaitOptions extends CallOptions, Pick<WaitOptions, 'pollInterval' | 'onUpdate'> {}

/** A task in `SUCCESS`, with the fields of its result. */
export type FinishedTask<Result extends Task, Field extends keyof Result> = Omit<Result, 'status' | Field> & {
  /** The task has succeeded. */
  readonly status: 'SUCCESS'
} & { readonly [Name in Field]-?: NonNullable<Result[Name]> }

/**
 * Creates a task and waits for its end.
 * @param field The field that a finished task must have.
 * @throws ProtocolError if the finished task has no such text
 */
export async function createAndWait<Result extends Task, Field extends keyof Result & string>(
  create: (options: CallOptions) => Promise<TaskHandle<Result>>,
  field: Field,
  { pollInterval, onUpdate, ...call }: CreateAndWaitOptions,
): Promise<FinishedTask<Result, Field>> {
  const handle = await create(call)
  const task = await handle.wait({
    ...(pollInterval === undefined ? {} : { pollInterval }),
    ...(onUpdate === undefined ? {} : { onUpdate }),
  })
  if (typeof task[field] !== 'string') {
    throw new ProtocolError(`Task ${handle.id} ended in SUCCESS without \`${field}\``)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `wait()` resolves in SUCCESS only, and the field was checked
  return task as unknown as FinishedTask<Result, Field>
}
