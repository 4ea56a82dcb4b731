import { APICallError, InvalidArgumentError, type JSONObject } from '@ai-sdk/provider'
import {
  ApiError,
  type CallOptions,
  InvalidRequestError,
  mayRepeat,
  type PureAudioClient,
  type ResponseInfo,
  SvcAudioError,
} from '@svc-audio/core'
import { findOptionFault, type OptionRules } from '#options'

/** The key of this provider in `providerOptions` and `providerMetadata`. */
export const PROVIDER = 'svcAudio'

/** What the models of one provider share. */
export interface ModelContext {
  /** @throws ConfigurationError without a key or an address */
  readonly client: () => PureAudioClient
  /** Voice id of calls without `voice`. */
  readonly voice: string | undefined
}

/** The settings of a call that concern the request, not its content. */
export interface RequestOptions {
  readonly abortSignal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

/** Sent as `user-agent`, after the one of the AI SDK. */
const USER_AGENT = 'svc-audio-ai-sdk'

/** Options for the calls of the client. */
export function callOptions({ abortSignal, headers = {} }: RequestOptions): CallOptions {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) own[name.toLowerCase()] = value
  own['user-agent'] = [own['user-agent'], USER_AGENT].filter((part) => part !== undefined).join(' ')
  return { headers: own, ...(abortSignal === undefined ? {} : { signal: abortSignal }) }
}

/**
 * Runs a call of the client.
 * @throws the reason of the signal after an abort, else an error of the AI SDK
 */
export async function send<Result>(
  { client }: ModelContext,
  request: SentRequest,
  signal: AbortSignal | undefined,
  work: (client: PureAudioClient) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const opened = client()
  try {
    return await work(opened)
  } catch (error) {
    signal?.throwIfAborted()
    throw toSdkError(error, { ...request, baseUrl: opened.baseUrl })
  }
}

/** The `response` of a result. */
export interface ResponseMetadata {
  /** When the response was received. */
  timestamp: Date
  /** The requested model. */
  modelId: string
  /** Headers of the response. The names have lower case. */
  headers: Record<string, string>
}

/** @param headers Lower-case names. */
export function responseMetadata(modelId: string, headers: ResponseInfo['headers']): ResponseMetadata {
  const present: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) present[name] = value
  return { timestamp: new Date(), modelId, headers: present }
}

/** A value of JSON. The versions of the AI SDK declare it as read-only or not, and this one is assignable to each. */
export type Json = null | string | number | boolean | Json[] | { [field: string]: Json }

/** The `providerMetadata` of a result. */
export type Metadata = Record<string, Record<string, Json>>

/** @param values Absent values are left out. */
export function providerMetadata(values: Readonly<Record<string, Json | undefined>>): Metadata {
  const present: Metadata[string] = {}
  for (const [name, value] of Object.entries(values)) if (value !== undefined) present[name] = value
  return { [PROVIDER]: present }
}

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
function toSdkError(error: unknown, request: FailedRequest): unknown {
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

/** `providerOptions` of a call. */
export type AllProviderOptions = Readonly<Record<string, JSONObject>> | undefined

/**
 * The options of this provider, checked.
 * @throws InvalidArgumentError naming the option
 */
export function readProviderOptions<Options extends JSONObject>(
  all: AllProviderOptions,
  rules: { readonly [Option in keyof Required<Options>]: OptionRules[string] },
): Options {
  const options = all?.[PROVIDER] ?? {}
  const argument = `providerOptions.${PROVIDER}`
  const fault = findOptionFault(options, rules, argument)
  if (fault !== undefined) {
    const path = fault.option === undefined ? argument : `${argument}.${fault.option}`
    throw new InvalidArgumentError({ argument: path, message: fault.message })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules have checked every field
  return options as Options
}
