import { ApiError, ConfigurationError, InvalidRequestError, SvcAudioError } from '@svc-audio/core/pure'
import { type IDataObject, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { explain } from './format-error.ts'
import type { Explanation } from './explanation.ts'

/**
 * An error as n8n shows it: the display name of the field, the item, and the remedy. A failed request is a
 * `NodeApiError`, everything else a `NodeOperationError`. Neither has a cause: the request behind it carries the key.
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
  if (isOfN8n(error)) return error
  const { headline, description } = explain(error)
  const more = { itemIndex, ...(description === undefined ? {} : { description }) }
  const options = { ...more, message: `${headline} [item ${itemIndex}]` }
  if (error instanceof ApiError) return new NodeApiError(node, {}, { ...options, httpCode: String(error.status) })
  if (SvcAudioError.isInstance(error) && !isOwnMistake(error)) return new NodeApiError(node, {}, options)
  return new NodeOperationError(node, options.message, more)
}

/**
 * What a failed item holds with On Error → Continue: words for people and agents, and fields for IF nodes. n8n moves an
 * item to the error output only if it has no other field than error, message and details, so they are in `details` there.
 */
export function failedItem(
  cause: unknown,
  error: NodeApiError | NodeOperationError,
  hasErrorOutput: boolean,
): IDataObject {
  const { code, status, field }: Partial<Explanation> = isOfN8n(cause) ? {} : explain(cause)
  const all = { description: error.description ?? undefined, code, status, field }
  const details = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  const { message } = error
  return hasErrorOutput ? { error: message, details } : { error: message, ...details }
}

function isOfN8n(error: unknown): error is NodeApiError | NodeOperationError {
  return error instanceof NodeApiError || error instanceof NodeOperationError
}

/** Errors that are found before a request. */
function isOwnMistake(error: SvcAudioError): boolean {
  return error instanceof InvalidRequestError || error instanceof ConfigurationError
}
