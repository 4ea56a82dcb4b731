import * as workflow from 'n8n-workflow'

/**
 * Whether the run may wait outside of the node. It must be one that n8n resumes, and nobody may wait for its response.
 *
 * n8n passes the failure of a workflow that has waited on to the node since 2.27. Before, a failed task would look like
 * a success. n8n tells no node its version, so a constant that came with that change tells.
 */
export function canWait(context: workflow.IExecuteFunctions, isToolCall: boolean): boolean {
  const isSaved = (context.getWorkflow().id ?? '') !== ''
  const passesFailures = 'CRASHABLE_EXECUTION_STATUSES' in workflow
  return isSaved && passesFailures && !isToolCall && context.getMode() !== 'cli' && !hasCaller(context)
}

/** Whether a webhook, form or chat before the node answers with what the workflow outputs. n8n answers when a run waits. */
function hasCaller(context: workflow.IExecuteFunctions): boolean {
  return context.getParentNodes(context.getNode().name, { includeNodeParameters: true }).some(respondsAtTheEnd)
}

function respondsAtTheEnd({ type, parameters = {} }: workflow.NodeTypeAndVersion): boolean {
  const { responseMode, options } = parameters
  const inOptions: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'responseMode') : ''
  const mode = responseMode ?? inOptions
  return type.endsWith('.chatTrigger') || (typeof mode === 'string' && !['', 'onReceived'].includes(mode))
}
