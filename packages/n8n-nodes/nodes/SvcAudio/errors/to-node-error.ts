import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  ResultUnavailableError,
  SvcAudioError,
  TaskFailedError,
  TaskTimeoutError,
  TimeoutError,
} from '@svc-audio/core/pure'
import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { FormError } from '../form/form-error.ts'
import { displayNameOf } from '../form/wire-fields.ts'

/** What n8n shows: a line, and below it what the user can do. */
interface Shown {
  readonly message: string
  readonly description?: string | undefined
}

/**
 * An error as n8n shows it: the display name of the field, the item, and the remedy. A failed request is a
 * `NodeApiError`, everything else a `NodeOperationError`. Neither has a cause: the request behind it carries the key.
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error
  const { message, description } = show(error)
  const more = { itemIndex, ...(description === undefined ? {} : { description }) }
  const options = { ...more, message: `${message} [item ${itemIndex}]` }
  if (error instanceof ApiError) return new NodeApiError(node, {}, { ...options, httpCode: String(error.status) })
  if (SvcAudioError.isInstance(error) && !isOwnMistake(error)) return new NodeApiError(node, {}, options)
  return new NodeOperationError(node, options.message, more)
}

/** Errors that are found before a request. */
function isOwnMistake(error: SvcAudioError): boolean {
  return error instanceof InvalidRequestError || error instanceof ConfigurationError
}

function show(error: unknown): Shown {
  if (error instanceof FormError) return { message: error.message, description: error.remedy }
  if (error instanceof InvalidRequestError) return showInvalid(error)
  if (error instanceof ConfigurationError) return showConfiguration(error)
  if (error instanceof ApiError) return { message: apiMessage(error), description: apiDescription(error) }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TaskFailedError) {
    return { message, description: 'Start a new task. If it fails too, ask the operator of the service.' }
  }
  if (error instanceof TaskTimeoutError) return showTaskTimeout(error)
  if (error instanceof TimeoutError) {
    return { message, description: 'Raise the option Timeout (Ms), or use Start Task for long audio.' }
  }
  if (error instanceof ConnectionError) {
    return { message, description: 'Check the Base URL of the credentials, and that the service runs.' }
  }
  if (error instanceof ResultUnavailableError) {
    return { message, description: 'Read the task again with Get, or start a new task.' }
  }
  return { message }
}

function showInvalid({ param, message }: InvalidRequestError): Shown {
  const fault = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message
  return {
    message: `${displayNameOf(param)}: ${fault}`,
    description: 'Change the field, or check its expression. Nothing was sent.',
  }
}

/** The client's options come from the credentials and from the options of the node. */
function showConfiguration({ message }: ConfigurationError): Shown {
  const names = { apiKey: 'API Key', baseUrl: 'Base URL', timeout: 'Timeout (Ms)' }
  const found = Object.entries(names).find(([name]) => message.startsWith(name))
  if (found === undefined) return { message }
  const [name, display] = found
  return {
    message: `${display}:${message.slice(name.length)}`,
    description: name === 'timeout' ? 'Change the option.' : 'Change the field in the credentials.',
  }
}

function showTaskTimeout({ taskId, task }: TaskTimeoutError): Shown {
  return {
    message: `Timeout (Ms): the task ${taskId} has not finished. Its last status is ${task?.status ?? 'unknown'}`,
    description:
      'Use Wait for Completion with the same Task ID again, or raise the option Timeout (Ms). The task goes on.',
  }
}

function apiMessage({ message, param }: ApiError): string {
  return param === undefined ? message : `${displayNameOf(param)}: ${message}`
}

/** The remedy, then what identifies the failure for the operator of the service. */
function apiDescription(error: ApiError): string {
  const { code, requestId, retryAfter } = error
  const facts = [
    code === undefined ? [] : [`code ${code}`],
    requestId === undefined ? [] : [`request ${requestId}`],
    retryAfter === undefined ? [] : [`retry after ${retryAfter} seconds`],
  ].flat()
  return facts.length === 0 ? remedyFor(error) : `${remedyFor(error)} (${facts.join(', ')})`
}

function remedyFor({ status, param, retryable }: ApiError): string {
  if (status === 401 || status === 403) return 'Check the API Key of the credentials.'
  if (status === 404 && param === undefined) return 'Check the id, and the Base URL of the credentials.'
  if (status === 404) return `Choose ${displayNameOf(param ?? '')} From List.`
  if (status === 413) return 'Send a smaller file. The service names its limit.'
  if (status === 415) return 'Send audio in a format that the service supports, such as WAV, FLAC or Ogg Opus.'
  if (status === 429) return 'Lower the option Items at Once, raise the option Retries, or run the workflow later.'
  if (param !== undefined) return `Change ${displayNameOf(param)}, or check its expression.`
  return retryable ? 'Run the workflow again, or raise the option Retries.' : 'Change the request as the message says.'
}
