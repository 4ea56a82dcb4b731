import { ApiError, type Task, TaskTimeoutError } from '@svc-audio/core/pure'
import {
  type IConnections,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type IWorkflowBase,
  type IWorkflowSettings,
  NodeApiError,
  type RelatedExecution,
} from 'n8n-workflow'
import { finish, progressLine } from './long-task.ts'
import type { Item, ItemOutput, LongTask, Operation } from './operations/operation.ts'

/** Names of the operations that only these workflows use: no form offers them. */
const WAITING = { wait: 'waitForTasks', check: 'checkTasks', collect: 'collectTasks', output: 'outputTasks' } as const

/**
 * Time until n8n resumes the workflow that waits, in milliseconds. n8n looks for runs to resume once per minute, so the
 * next time comes within a minute.
 */
const CHECK_INTERVAL = 5000

/** Statuses after which a task cannot be read later either. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404])

/**
 * How long a run that was waiting when n8n started stays untouched, in milliseconds since the start of the process.
 *
 * While n8n starts, it resumes the waiting runs that are due. Seconds later it reads its log of events for runs without
 * an end, marks each of them as crashed, and then lets those that wait wait again. A run that is resumed in that moment
 * stays crashed, and one that ends in it is run twice.
 */
const REST = 120_000

/** Ends of a task, and a task that cannot be read: the collecting node then throws the reason. */
const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'UNREADABLE'])

/** An item of the workflow that waits: what is known of the task, or what the node has output without one. */
export interface WaitingItem {
  /** The task that is waited for. */
  readonly task?: LongTask
  /** Unix time of its start, in milliseconds. */
  readonly startedAt?: number
  /** Whether there is nothing to wait for. */
  readonly finished: boolean
  /** JSON of an item that needed no task. */
  readonly output?: object
  /** Whether a failed item leaves through the error output of the node. */
  readonly hasErrorOutput?: boolean
  /** The run that waits. */
  readonly parent?: RelatedExecution
}

/**
 * Waits for tasks in a workflow of its own, which n8n stores while it waits: the run takes no memory, and it survives a
 * restart. n8n then passes the output of that workflow to the node, and resumes the run.
 *
 * @returns The output of the node if no task had to be waited for; else its input, which n8n replaces.
 */
export async function waitInWorkflow(
  context: IExecuteFunctions,
  items: readonly INodeExecutionData[],
): Promise<INodeExecutionData[]> {
  const workflowId = context.getWorkflow().id ?? ''
  const parent = { executionId: context.getExecutionId(), workflowId }
  const waiting = items.map((item) => ({ ...item, json: { ...item.json, parent } }))
  const node = context.getNode()
  const settings = storing(context.getWorkflowSettings())
  const code = inline(`${node.name}: waiting for tasks`, settings, nodesAndConnections(node))
  const parentExecution = { ...parent, shouldResume: true }
  const { waitTill, data } = await context.executeWorkflow({ code }, waiting, undefined, { parentExecution })
  if (waitTill) return [...context.getInputData()]
  return data[0] ?? []
}

/** What the settings of the workflow of the node say about stored runs. They hold for the run that waits too. */
function storing(settings: IWorkflowSettings): IWorkflowSettings {
  const { saveDataErrorExecution, saveDataSuccessExecution, saveExecutionProgress, redactionPolicy } = settings
  const stored = { saveDataErrorExecution, saveDataSuccessExecution, saveExecutionProgress, redactionPolicy }
  return Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== undefined))
}

/** A workflow that a node starts without storing it. */
function inline(
  name: string,
  settings: IWorkflowSettings,
  parts: { readonly nodes: INode[]; readonly connections: IConnections },
): IWorkflowBase {
  const now = new Date()
  return {
    // n8n replaces the empty id by that of the workflow of the node, so that credentials and permissions are the same.
    id: '',
    name,
    active: false,
    isArchived: false,
    createdAt: now,
    updatedAt: now,
    activeVersionId: null,
    settings: { executionOrder: 'v1', ...settings },
    ...parts,
  }
}

/** Wait, check, and again until every task has ended; then collect. */
function nodesAndConnections(node: INode): { nodes: INode[]; connections: IConnections } {
  const all = '={{ $input.all().every(({ json }) => json.finished) }}'
  const nodes = [
    made('Tasks', 'n8n-nodes-base.executeWorkflowTrigger', {}, 0),
    { ...own(node, 'Wait', WAITING.wait, 1) },
    { ...own(node, 'Check', WAITING.check, 2) },
    made('All Finished?', 'n8n-nodes-base.if', { conditions: { boolean: [{ value1: all, value2: true }] } }, 3),
    own(node, node.name === 'Tasks' ? 'Collect' : `Collect ${node.name}`, WAITING.collect, 4),
  ]
  const [tasks = '', wait = '', check = '', gate = '', collect = ''] = nodes.map(({ name }) => name)
  const connections: IConnections = {
    [tasks]: { main: [to(wait)] },
    [wait]: { main: [to(check)] },
    [check]: { main: [to(gate)] },
    [gate]: { main: [to(collect), to(wait)] },
  }
  return { nodes, connections }
}

function to(node: string): { node: string; type: 'main'; index: number }[] {
  return [{ node, type: 'main', index: 0 }]
}

function made(name: string, type: string, parameters: INodeParameters, column: number): INode {
  return { id: `svc-audio-${column}`, name, type, typeVersion: 1, position: [column * 220, 0], parameters }
}

/** The node itself with one of the operations of this workflow. What fails fails where the node collects. */
function own(node: INode, name: string, operation: string, column: number): INode {
  const { type, typeVersion, credentials, onError } = node
  const isLast = operation === WAITING.collect || operation === WAITING.output
  const continues = isLast && onError !== undefined && onError !== 'stopWorkflow'
  return {
    ...made(name, type, { resource: 'task', operation }, column),
    typeVersion,
    ...(credentials === undefined ? {} : { credentials }),
    ...(continues ? { onError: 'continueRegularOutput' } : {}),
  }
}

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

/**
 * Outputs the results, in the order of the items. A workflow that ends at once makes them: n8n copies the files of such a
 * one to the run that waits. There they stay when the runs of this workflow are not stored.
 */
const collect: Operation = {
  ...internal(WAITING.collect, async (item) => same(item)),
  takesAllItems: () => true,

  async run({ context }) {
    const items = context.getInputData()
    const node = context.getNode()
    const trigger = made('Tasks', 'n8n-nodes-base.executeWorkflowTrigger', {}, 0)
    const last = own(node, node.name, WAITING.output, 1)
    const parts = { nodes: [trigger, last], connections: { [trigger.name]: { main: [to(last.name)] } } }
    const code = inline(`${node.name}: results`, UNSTORED, parts)
    const { parent } = items.map(toWaitingItem)[0] ?? {}
    const more = parent === undefined ? {} : { parentExecution: { ...parent, shouldResume: false } }
    try {
      const { data } = await context.executeWorkflow({ code }, items, undefined, more)
      return data[0] ?? []
    } catch (error) {
      throw relayed(node, error)
    }
  },
}

const UNSTORED = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' } as const

/** The error of a workflow that a node has started, as the error of the node: n8n hands it on without its class. */
function relayed(node: INode, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const [description, httpCode] = ['description', 'httpCode'].map((field): unknown => Reflect.get(thrown, field))
  const error = new NodeApiError(
    node,
    {},
    {
      message: thrown.message,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof httpCode === 'string' ? { httpCode } : {}),
    },
  )
  return Object.assign(error, { message: thrown.message, messages: [] })
}

/** Outputs the result of each task. */
const output = internal(WAITING.output, async (item) => {
  const { task, output: ended } = waitingItem(item)
  if (task === undefined) return { ...same(item), json: ended ?? {} }
  const audio = await item.audio()
  const found = await audio.tasks.retrieve(task.taskId, item.call)
  if (!ENDED.has(found.status)) throw new TaskTimeoutError(task.taskId, task.timeout, found)
  // The task has ended: the wait reads it once, and throws its failure.
  return finish(item, await audio.tasks.wait(task.taskId, item.call), task.plan)
})

/** Operations of the workflows that wait for tasks of long work. */
export const WAITING_OPERATIONS: readonly Operation[] = [wait, check, collect, output]

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

/**
 * Until when a run does nothing but wait again, in Unix time.
 *
 * @param startedAt Unix time at which its first task was started, in milliseconds.
 * @returns 0 if the process is the one that the run began in.
 */
function restsUntil(startedAt: number = Infinity): number {
  const { timeOrigin } = performance
  return startedAt < timeOrigin ? timeOrigin + REST : 0
}
