import { StreamTruncatedError } from '@svc-audio/core/pure'
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow'
import { failedItem, toNodeError } from './errors/index.ts'
import { FormError, toNumber, toText } from './form.ts'
import { canWait, waitInNode } from './long-task.ts'
import { findOperation } from './operations/index.ts'
import { NodeRun } from './operations/node-run.ts'
import { Item, type ItemOptions, type LongTask, type Operation } from './operations/operation.ts'
import { runItems } from './run-items.ts'
import { type WaitingItem, waitInWorkflow } from './waiting-workflow.ts'

/** By this word n8n tells a run that was stopped from one that failed. */
const CANCELLED = 'The run was canceled'

/** Maximum items at once. The service limits each key as well. */
const MOST_AT_ONCE = 64

/** What an item stands for in the output: itself, or, with all items in one, each of them. */
type PairedItem = NonNullable<INodeExecutionData['pairedItem']>

/** Runs the node: its operation for every item, as many side by side as the option Items at Once says. */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const count = context.getInputData().length
  const cancelled = context.getExecutionCancelSignal()
  const isCancelled = (): boolean => cancelled?.aborted === true
  const run = new NodeRun(context)
  const started = new Map<number, { readonly task: LongTask; readonly startedAt: number }>()

  const handle = async (index: number, failed: AbortSignal): Promise<INodeExecutionData[]> => {
    const signal = cancelled === undefined ? failed : AbortSignal.any([cancelled, failed])
    let pairedItem: PairedItem = { item: index }
    let faulty: (cause: unknown) => number = () => index
    let hasErrorOutput = errorOutputOf(context)
    try {
      const { operation, item } = prepare(context, index, { signal, run })
      if (operation.takesAllItems?.(item) === true) {
        if (index > 0) return []
        pairedItem = Array.from({ length: count }, (_, at) => ({ item: at }))
        faulty = segmentOf
      }
      if (operation.hasErrorOutput !== undefined) hasErrorOutput = operation.hasErrorOutput(item)
      const task = await operation.startLong?.(item)
      if (task === undefined) return toItems(await repeatIncomplete(item, () => operation.run(item)), pairedItem)
      context.logger.info(`Svc Audio: task ${task.taskId} of item ${index} has started`)
      if (!canWait(context, item.isToolCall)) return toItems([await waitInNode(item, task)], pairedItem)
      started.set(index, { task, startedAt: Date.now() })
      return []
    } catch (cause) {
      const error = toNodeError(context.getNode(), isCancelled() ? CANCELLED : cause, faulty(cause))
      if (isCancelled() || failed.aborted || !context.continueOnFail()) throw error
      // n8n would replace the JSON of an item that has an error by the message alone.
      return [{ json: failedItem(cause, error, hasErrorOutput), pairedItem }]
    }
  }

  const results = await runItems({ count, atOnce: itemsAtOnce(context, count), run: handle })
  await run.end()
  if (started.size === 0) return results.flat()
  const waiting = results.flatMap((outputs, index): INodeExecutionData[] => {
    const task = started.get(index)
    if (task === undefined) return outputs.map((output) => waitingItem(output, { finished: true, output: output.json }))
    const item = { ...task, finished: false, hasErrorOutput: errorOutputOf(context) }
    return [waitingItem({ json: {}, pairedItem: { item: index } }, item)]
  })
  return waitInWorkflow(context, waiting)
}

/** Whether a failed item leaves through an error output. */
function errorOutputOf(context: IExecuteFunctions): boolean {
  return context.getNode().onError === 'continueErrorOutput'
}

/** An item of the workflow that waits, with the binary fields and the origin of an output. */
function waitingItem(output: INodeExecutionData, json: WaitingItem): INodeExecutionData {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it holds nothing but JSON
  return { ...output, json: json as unknown as IDataObject }
}

function prepare(
  context: IExecuteFunctions,
  index: number,
  shared: Pick<ItemOptions, 'signal' | 'run'>,
): { operation: Operation; item: Item } {
  const [resource, name] = ['resource', 'operation'].map((field) => context.getNodeParameter(field, index))
  const operation = findOperation(resource, name)
  if (operation === undefined) {
    throw new FormError(
      'Operation',
      `there is no "${toText(name)}" of "${toText(resource)}"`,
      'Choose it from the list.',
    )
  }
  return { operation, item: new Item(context, index, { fields: operation.fields, ...shared }) }
}

/** With all items in one request, item and segment have the same number. An error that names no segment is of the first. */
function segmentOf(cause: unknown): number {
  const param: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'param') : undefined
  const [, index = '0'] = /^segments\[(\d+)\]/.exec(String(param)) ?? []
  return Number(index)
}

function toItems(outputs: Awaited<ReturnType<Operation['run']>>, pairedItem: PairedItem): INodeExecutionData[] {
  return outputs.map(({ json, binary, pairedItem: own = pairedItem }) => ({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was JSON, or was made of JSON
    json: json as IDataObject,
    ...(binary === undefined ? {} : { binary }),
    pairedItem: own,
  }))
}

/** @throws NodeOperationError for anything but a whole number */
function itemsAtOnce(context: IExecuteFunctions, count: number): number {
  if (count === 0) return 1
  const value: unknown = context.getNodeParameter('options.itemsAtOnce', 0, 1)
  const number = toNumber(value)
  if (number !== undefined && Number.isInteger(number) && number >= 1 && number <= MOST_AT_ONCE) return number
  const fault = new FormError('Items at Once', `must be a whole number from 1 to ${MOST_AT_ONCE}`, 'Change the option.')
  throw toNodeError(context.getNode(), fault, 0)
}

/**
 * Does the work on an item, and does it again if the response was cut after it had begun: the client repeats only
 * requests without a response. Only where the user allows repeated work, or the service does it once.
 * @throws StreamTruncatedError after the last retry
 */
async function repeatIncomplete<Result>(item: Item, work: () => Promise<Result>): Promise<Result> {
  for (let repeated = 0; ; repeated += 1) {
    const [outcome] = await Promise.allSettled([work()])
    if (outcome.status === 'fulfilled') return outcome.value
    const failure: unknown = outcome.reason
    if (!(failure instanceof StreamTruncatedError) || repeated >= (await item.repeats())) throw failure
  }
}
