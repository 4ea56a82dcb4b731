import type { CallOptions, PureAudioClient, ResponseInfo } from '@svc-audio/core'
import { type SentRequest, toSdkError } from './errors.ts'

export type { SentRequest } from './errors.ts'

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
