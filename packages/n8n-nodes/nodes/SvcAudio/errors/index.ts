import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  NotReplayableError,
  ProtocolError,
  ResultUnavailableError,
  StreamFailedError,
  StreamTruncatedError,
  SvcAudioError,
  TaskFailedError,
  TaskTimeoutError,
  TimeoutError,
} from '@svc-audio/core/pure'
import { type IDataObject, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { FormError } from '../form.ts'
import { displayNameOf, forPeople } from './display-names.ts'
import { CODE_REMEDIES, explainConnection, explainResponse, type Explanation } from './explain-service.ts'

export { systemCodes } from './explain-service.ts'

/**
 * An error as n8n shows it: the display name of the field, the item, and the remedy. A failed request is a
 * `NodeApiError`, everything else a `NodeOperationError`. Neither has a cause: the request behind it carries the key.
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
  if (isOfN8n(error)) return error
  const { headline, description } = explain(error)
  const more = { itemIndex, ...(description === undefined ? {} : { description }) }
  const message = `${headline} [item ${itemIndex}]`
  const made = nodeErrorOf(node, error, { ...more, message })
  // n8n replaces a message that holds a code of the system, such as a voice or a file of that name.
  return Object.assign(made, { message, messages: [] })
}

/** An error of a list, which n8n shows in the list: headline and remedy in one text. */
export function toListError(node: INode, error: unknown): NodeOperationError {
  const { headline, description } = explain(error)
  const message = description === undefined ? headline : `${headline}. ${description}`
  return Object.assign(new NodeOperationError(node, message), { message, messages: [] })
}

function nodeErrorOf(
  node: INode,
  error: unknown,
  options: { readonly itemIndex: number; readonly description?: string; readonly message: string },
): NodeApiError | NodeOperationError {
  if (error instanceof ApiError) return new NodeApiError(node, {}, { ...options, httpCode: String(error.status) })
  if (SvcAudioError.isInstance(error) && !isOwnMistake(error)) return new NodeApiError(node, {}, options)
  return new NodeOperationError(node, options.message, options)
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

/** Says what happened, and what the user can do about it. */
export function explain(error: unknown): Explanation {
  if (error instanceof FormError) return explainForm(error)
  if (error instanceof InvalidRequestError) return explainInvalid(error)
  if (error instanceof ConfigurationError) return explainConfiguration(error)
  if (error instanceof ApiError) return explainResponse(error)
  if (error instanceof ConnectionError) return explainConnection(error)
  if (error instanceof TaskFailedError) return explainFailedTask(error)
  if (error instanceof TaskTimeoutError) return explainTaskTimeout(error)
  if (error instanceof NotReplayableError && error.cause !== undefined) return explain(error.cause)
  if (SvcAudioError.isInstance(error)) return explainOther(error)
  return { headline: error instanceof Error ? error.message : String(error) }
}

function explainForm({ message, remedy, field }: FormError): Explanation {
  return { headline: message, description: remedy, code: 'invalid_field', field }
}

function explainInvalid({ param, message, code }: InvalidRequestError): Explanation {
  const fault = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message
  const field = displayNameOf(param)
  return {
    headline: `${field}: ${FAULTS[code] ?? forPeople(fault)}`,
    description: `${REMEDIES[code] ?? 'Change the field, or check its expression.'} Nothing was sent.`,
    code,
    field,
  }
}

/** Faults by code where the client's words are for programmers. */
const FAULTS: Readonly<Record<string, string>> = {
  invalid_webhook_url: 'must begin with https://',
  missing_required_field: 'is required',
  missing_size: 'must be a file of known size',
  unknown_speaker: 'is not the name of one of the speakers',
}

const REMEDIES: Readonly<Record<string, string>> = {
  file_too_large: 'Send a smaller file, or split the recording.',
  invalid_webhook_url: 'Enter a public HTTPS address, or leave the field empty and use Wait for Completion.',
  missing_size: 'Store the file in n8n first, for example with Read/Write Files from Disk.',
  unknown_speaker: 'Add the speaker to Speakers, or correct the name in the line.',
}

/** The client's options come from the credentials and from the options of the node. */
function explainConfiguration({ message }: ConfigurationError): Explanation {
  const code = 'invalid_configuration'
  const plain = message.replaceAll('`', '')
  const found = Object.entries(SETTINGS).find(([name]) => plain.startsWith(name))
  if (found === undefined) return { headline: plain, description: 'Check the credentials.', code }
  const [name, [field, remedy]] = found
  return { headline: `${field}:${plain.slice(name.length)}`, description: remedy, code, field }
}

const SETTINGS: Readonly<Record<string, readonly [field: string, remedy: string]>> = {
  apiKey: ['API Key', 'Change the field in the credentials.'],
  baseUrl: ['Base URL', 'Change the field in the credentials. Example: https://audio.example.com'],
  timeout: ['Timeout (Seconds)', 'Change the option.'],
}

function explainFailedTask({ message, taskId, code }: TaskFailedError): Explanation {
  const reason = message.replace(`The task ${taskId} failed: `, '')
  return {
    headline: `The task failed: ${forPeople(reason)}`,
    description: `${CODE_REMEDIES[code ?? ''] ?? 'Start a new task. If it fails too, send the ID of the task to the operator of the service.'} (task ${taskId})`,
    code: code ?? 'task_failed',
  }
}

function explainTaskTimeout({ taskId, task }: TaskTimeoutError): Explanation {
  return {
    headline: `Timeout (Seconds): the task has not finished. Its last status is ${task?.status ?? 'unknown'}`,
    description: `Use Wait for Completion with the same Task ID again, or raise the option Timeout (Seconds). The task continues. (task ${taskId})`,
    code: 'task_timeout',
    field: 'Timeout (Seconds)',
  }
}

/** Errors without fields of their own. The message of the client follows the remedy, for the operator. */
function explainOther(error: SvcAudioError): Explanation {
  if (error instanceof TimeoutError) {
    return {
      headline: 'Timeout (Seconds): the work on this item took too long',
      description: `Raise the option Timeout (Seconds), or use Start Task for long audio.${deadlineOf(error)}`,
      code: 'timeout',
      field: 'Timeout (Seconds)',
    }
  }
  if (error instanceof StreamTruncatedError) {
    return {
      headline: 'The response of the service arrived incomplete',
      description: `Run the workflow again. For long audio, use Start Task. Nothing incomplete is output. (${error.message})`,
      code: 'incomplete',
    }
  }
  if (error instanceof StreamFailedError) {
    return {
      headline: `The service stopped in the middle: ${forPeople(error.message)}`,
      description: 'Run the workflow again. Nothing incomplete is output.',
      code: error.code ?? 'stream_failed',
    }
  }
  if (error instanceof ResultUnavailableError) {
    return {
      headline: 'The audio of the result is no longer available',
      description: `Read the task again with Get, or start a new task. (${error.message})`,
      code: 'result_unavailable',
    }
  }
  const isResponse = error instanceof ProtocolError
  return {
    headline: isResponse ? 'The response is not from the audio service' : forPeople(error.message),
    description: `Check the Base URL of the credentials.${isResponse ? ` (${error.message})` : ''}`,
    code: 'unexpected_response',
  }
}

/** Which deadline passed, for the operator, unless it is the one of the option. */
function deadlineOf({ phase, message }: TimeoutError): string {
  if (phase === 'total') return ''
  return ` (${message.replace(/(\d+) ms/, (_found, milliseconds: string) => `${Number(milliseconds) / 1000} seconds`)})`
}
