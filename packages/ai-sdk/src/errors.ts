import { APICallError, InvalidArgumentError, type JSONObject } from '@ai-sdk/provider'
import { ApiError, InvalidRequestError, mayRepeat, SvcAudioError } from '@svc-audio/core'

/** A request to the service, for errors and for the `request` of a result. */
export interface SentRequest {
  /** Path of the endpoint, e.g. `/v1/audio/speech`. */
  readonly path: string
  /** Fields of the request, without audio. */
  readonly body: object
}

/** A failed request. */
interface FailedRequest extends SentRequest {
  readonly baseUrl: string
}

/** Names of the AI SDK for fields of the interface. Other fields are provider options. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  input: 'text',
  voice_id: 'voice',
  response_format: 'outputFormat',
  instruction: 'instructions',
  speed: 'speed',
  language: 'language',
  model: 'modelId',
  stream: 'modelId',
  file: 'audio',
  url: 'audio',
}

/**
 * The error of the AI SDK for an error of the client. A broken rule of the interface is an `InvalidArgumentError` with
 * the SDK's name of the argument. A failed request is an `APICallError`. A `ConfigurationError` and errors of other
 * packages stay as they are.
 */
export function toSdkError(error: unknown, request: FailedRequest): unknown {
  if (!SvcAudioError.isInstance(error) || error.name === 'ConfigurationError') return error
  if (InvalidRequestError.isInstance(error)) return invalidArgument(error)
  const { status, retryAfter } = ApiError.isInstance(error) ? error : {}
  const headers = {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(error.requestId === undefined ? {} : { 'x-request-id': error.requestId }),
  }
  return new APICallError({
    message: error.message,
    url: request.baseUrl + request.path,
    requestBodyValues: request.body,
    ...(status === undefined ? {} : { statusCode: status }),
    responseHeaders: headers,
    // Every call of this provider is billable, and the AI SDK repeats a retryable call without asking.
    isRetryable: mayRepeat(error),
    data: dataOf(error),
    cause: error,
  })
}

function invalidArgument(error: InvalidRequestError): InvalidArgumentError {
  const argument = ARGUMENTS[error.param] ?? `providerOptions.svcAudio.${error.param}`
  const message = error.message.replace(`${error.param}: `, `${argument}: `)
  return new InvalidArgumentError({ argument, message, cause: error })
}

/** Fields of core's errors that a program may need, by name. */
const DATA = ['code', 'param', 'type', 'taskId', 'phase']

function dataOf(error: SvcAudioError): JSONObject {
  const data: JSONObject = { name: error.name }
  for (const field of DATA) {
    const value: unknown = Reflect.get(error, field)
    if (typeof value === 'string') data[field] = value
  }
  return data
}
