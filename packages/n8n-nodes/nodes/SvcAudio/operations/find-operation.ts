import { type IExecuteFunctions, NodeOperationError } from 'n8n-workflow'
import type { Operation } from './operation.ts'
import { speechCreate } from './speech-create.ts'
import { transcriptionCreate } from './transcription-create.ts'

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'speech.create': speechCreate,
  'transcription.create': transcriptionCreate,
}

/**
 * The operation that the form names for one item.
 * @throws NodeOperationError when this version has no such operation
 */
export function findOperation(context: IExecuteFunctions, itemIndex: number): Operation {
  const resource = context.getNodeParameter('resource', itemIndex)
  const operation = context.getNodeParameter('operation', itemIndex)
  const found = OPERATIONS[`${resource}.${operation}`]
  if (found !== undefined) return found
  throw new NodeOperationError(context.getNode(), `There is no operation "${operation}" of "${resource}"`, {
    itemIndex,
  })
}
