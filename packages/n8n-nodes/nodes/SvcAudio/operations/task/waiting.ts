import { ApiError, type Task, TaskTimeoutError } from '@svc-audio/core/pure'
import { restsUntil } from '../../long-work/after-restart.ts'
import { WAITING, type WaitingItem } from '../../long-work/sub-workflow.ts'
import { finish, progressLine } from '../../long-work/wait-in-node.ts'
import type { Item } from '../item.ts'
import type { ItemOutput, Operation } from '../operation.ts'

/**
 * Time until n8n resumes the workflow that waits, in milliseconds. n8n looks for runs to resume once per minute, so the
 * next time comes within a minute.
 */
const CHECK_INTERVAL = 5000

/** Statuses after which a task cannot be read later either. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404])

/** Lets n8n store the run. When it resumes, it outputs the input of this node. */
const wait = internal(WAITING.wait, async (item) => {
  const { context, index } = item
  if (index === 0) {
    const first = context
      .getInputData()
      .map(toWaitingItem)
      .find(({ task }) => task !== undefined)
    await context.putExecutionToWait(new Date(Math.max(Date.now() + CHECK_INTERVAL, restsUntil(first?.startedAt))))
  }
  return same(item)
})

/** Reads the tasks that have not ended, and writes each to the log. A run that rests after a restart waits again. */
const check = internal(WAITING.check, async (item) => {
  const waiting = waitingItem(item)
  const { task, finished, startedAt = 0 } = waiting
  if (task === undefined || finished || Date.now() < restsUntil(startedAt)) return same(item)
  const elapsed = Date.now() - startedAt
  const status = await statusOf(item, task.taskId)
  item.context.logger.info(progressLine({ taskId: task.taskId, index: item.index, status, elapsed }))
  const isLate = task.timeout !== 0 && elapsed > task.timeout
  return { json: { ...waiting, finished: ENDED.has(status) || isLate } }
})

/** Outputs the results, in the order of the items. */
const collect = internal(WAITING.collect, async (item) => {
  const { task, output } = waitingItem(item)
  if (task === undefined) return { ...same(item), json: output ?? {} }
  const audio = await item.audio()
  const found = await audio.tasks.retrieve(task.taskId, item.call)
  if (!ENDED.has(found.status)) throw new TaskTimeoutError(task.taskId, task.timeout, found)
  // The task has ended: the wait reads it once, and throws its failure.
  return finish(item, await audio.tasks.wait(task.taskId, item.call), task.plan)
})

/** Operations of the workflow that waits for tasks of long work. */
export const WAITING_OPERATIONS: readonly Operation[] = [wait, check, collect]

/** Ends of a task, and a task that cannot be read: the collecting node then throws the reason. */
const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'UNREADABLE'])

/** A service that cannot be reached is asked again at the next check. */
async function statusOf(item: Item, id: string): Promise<Task['status']> {
  try {
    const audio = await item.audio()
    const { status } = await audio.tasks.retrieve(id, item.call)
    return status
  } catch (error) {
    item.signal.throwIfAborted()
    return error instanceof ApiError && FINAL_STATUSES.has(error.status) ? 'UNREADABLE' : 'UNKNOWN'
  }
}

function internal(operation: string, run: (item: Item) => Promise<ItemOutput>): Operation {
  return {
    resource: 'task',
    operation,
    name: operation,
    action: 'Wait for tasks of long work',
    description: 'Part of the workflow that waits for tasks of long work',
    fields: [],
    hasErrorOutput: (item) => waitingItem(item).hasErrorOutput === true,
    run: async (item) => [await run(item)],
  }
}

/** The item as it came. */
function same({ context, index }: Item): ItemOutput {
  const { json = {}, binary } = context.getInputData()[index] ?? {}
  return { json, ...(binary === undefined ? {} : { binary }) }
}

function waitingItem(item: Item): WaitingItem {
  return toWaitingItem(same(item))
}

function toWaitingItem({ json }: { readonly json: object }): WaitingItem {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the node itself makes the items of this workflow
  return json as WaitingItem
}
