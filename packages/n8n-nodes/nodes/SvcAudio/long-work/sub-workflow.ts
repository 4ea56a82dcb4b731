import type {
  IConnections,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
  INodeParameters,
  IWorkflowBase,
} from 'n8n-workflow'
import type { LongTask } from './plan.ts'

/** Names of the operations that only this workflow uses: no form offers them. */
export const WAITING = { wait: 'waitForTasks', check: 'checkTasks', collect: 'collectTasks' } as const

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
  const parentExecution = { executionId: context.getExecutionId(), workflowId, shouldResume: true }
  const code = waitingWorkflow(context.getNode())
  const { waitTill, data } = await context.executeWorkflow({ code }, [...items], undefined, { parentExecution })
  if (waitTill) return [...context.getInputData()]
  return data[0] ?? []
}

/** Wait, check, and again until every task has ended; then collect. */
function waitingWorkflow(node: INode): IWorkflowBase {
  const now = new Date()
  return {
    // n8n replaces the empty id by that of the workflow of the node, so that credentials and permissions are the same.
    id: '',
    name: `${node.name}: waiting for tasks`,
    active: false,
    isArchived: false,
    createdAt: now,
    updatedAt: now,
    activeVersionId: null,
    // The run of the node refers to the files of this one, so n8n stores it, whatever the workflow of the node says.
    settings: { executionOrder: 'v1', saveDataSuccessExecution: 'all', saveManualExecutions: true },
    ...nodesAndConnections(node),
  }
}

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
  const continues = operation === WAITING.collect && onError !== undefined && onError !== 'stopWorkflow'
  return {
    ...made(name, type, { resource: 'task', operation }, column),
    typeVersion,
    ...(credentials === undefined ? {} : { credentials }),
    ...(continues ? { onError: 'continueRegularOutput' } : {}),
  }
}
