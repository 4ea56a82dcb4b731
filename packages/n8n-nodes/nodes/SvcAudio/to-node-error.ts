import { ApiError, ConfigurationError, InvalidRequestError, SvcAudioError } from '@svc-audio/core/pure'
import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'

/**
 * An error as n8n shows it: `NodeApiError` with the service's own message for whatever came of a request, else
 * `NodeOperationError`. It has no cause: the request behind it carries the key.
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error
  if (error instanceof ApiError) {
    const { message, status } = error
    return new NodeApiError(node, {}, { message, description: details(error), httpCode: String(status), itemIndex })
  }
  const ownMistake = error instanceof InvalidRequestError || error instanceof ConfigurationError
  if (SvcAudioError.isInstance(error) && !ownMistake) {
    return new NodeApiError(node, {}, { message: error.message, itemIndex })
  }
  return new NodeOperationError(node, error instanceof Error ? error.message : String(error), { itemIndex })
}

/** What the service told beside its message. */
function details({ code, param, requestId, retryAfter, retryable }: ApiError): string {
  const lines = [
    code === undefined ? [] : [`Code: ${code}`],
    param === undefined ? [] : [`Field: ${param}`],
    requestId === undefined ? [] : [`Request: ${requestId}`],
    retryAfter === undefined ? [] : [`Try again in ${retryAfter} seconds`],
    retryable ? ['The same request may succeed later: see "Retry On Fail" in the settings of this node'] : [],
  ]
  return lines.flat().join('. ')
}
