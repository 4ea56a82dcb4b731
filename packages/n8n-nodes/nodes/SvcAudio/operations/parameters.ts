import type { CallOptions } from '@svc-audio/core/pure'
import { type IDataObject, type IExecuteFunctions, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow'

/**
 * The text of a field for one item; of a resource locator, its id.
 * @throws NodeOperationError when an expression gave something else
 */
export function textParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
  const value = context.getNodeParameter(name, itemIndex, '', { extractValue: true })
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw new NodeOperationError(context.getNode(), `The field "${name}" must be text`, { itemIndex })
}

/** What of the collection "Options" was set for one item. */
export function optionsParameter(context: IExecuteFunctions, itemIndex: number): IDataObject {
  return context.getNodeParameter('options', itemIndex, {})
}

/** The text of an option; `undefined` when it was not set or left empty. */
export function textOption(options: IDataObject, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Milliseconds of the option "Timeout"; `undefined` when it was not set. */
export function timeoutOption(options: IDataObject): number | undefined {
  return typeof options['timeout'] === 'number' ? options['timeout'] : undefined
}

/**
 * Whether an AI agent called the node as its tool. Agents that run their tools inside the workflow engine are told by
 * where the log goes: `isToolExecution()` is false there.
 */
export function isToolCall(context: IExecuteFunctions): boolean {
  return context.isToolExecution() || context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool
}

/** What every call is given: it ends when the run is cancelled. */
export function callOptions(context: IExecuteFunctions): CallOptions {
  const signal = context.getExecutionCancelSignal()
  return signal === undefined ? {} : { signal }
}
