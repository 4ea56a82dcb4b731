import { type ApiKey, AudioClient, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import { fetchTransport } from '@svc-audio/core/fetch'
import {
  callback,
  clientWith,
  findOptionFault,
  milliseconds,
  object,
  type OptionRules,
  optional,
  secret,
  text,
} from '@svc-audio/options'

/** Options of `createSvcAudio`. */
export interface SvcAudioOptions {
  /**
   * The bearer key, or a function that returns the current key. The function is called before each request.
   * @default the environment variable `SVC_AUDIO_API_KEY`, read at the first call
   */
  readonly apiKey?: ApiKey
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`.
   * @default the environment variable `SVC_AUDIO_BASE_URL`, read at the first call
   */
  readonly baseUrl?: string
  /** Headers of every request. `headers` of a call replace them by name. Neither replaces `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The `fetch` to send with.
   * @default core's transport of the runtime: undici on Node, else `fetch`
   */
  readonly fetch?: typeof globalThis.fetch
  /** Deadline of one call, without the retries of the AI SDK, in milliseconds. @default none */
  readonly timeout?: number
  /** Voice id of calls without `voice`. @default none */
  readonly voice?: string
  /**
   * A client of `@svc-audio/core` to send with. The caller closes it. It excludes every other option but `voice`.
   * @default a client of these options, created at the first call
   */
  readonly client?: PureAudioClient
}

const OWNER = 'createSvcAudio()'

const RULES: OptionRules = {
  apiKey: optional((value) => (typeof value === 'function' ? undefined : secret(value))),
  baseUrl: optional(text),
  headers: optional(object),
  fetch: optional(callback),
  timeout: optional(milliseconds),
  voice: optional(text),
  client: optional(clientWith('speech', 'transcriptions')),
}

/**
 * Checks the options and returns the function that opens the client. The client opens once, at the first call, so that
 * a module may create a provider before the environment is set.
 *
 * @throws ConfigurationError naming the option; from the function also without a key or an address
 */
export function clientOf(options: SvcAudioOptions): () => PureAudioClient {
  const fault = findOptionFault(options, RULES, OWNER)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  const { voice: _voice, client, fetch, ...rest } = options
  const given = Object.entries({ ...rest, fetch }).find(([, value]) => value !== undefined)?.[0]
  if (client !== undefined && given !== undefined) {
    throw new ConfigurationError(`${OWNER}: \`${given}\` has no effect with \`client\`: set it on the client`)
  }
  let opened: PureAudioClient | undefined
  return () => (opened ??= withoutRetries(client ?? openClient(rest, fetch)))
}

function openClient(
  options: Omit<SvcAudioOptions, 'client' | 'fetch' | 'voice'>,
  fetch: SvcAudioOptions['fetch'],
): PureAudioClient {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return new AudioClient(fetch === undefined ? given : { ...given, transport: fetchTransport({ fetch }) })
}

/** The AI SDK retries calls itself: `maxRetries` of the call. */
function withoutRetries(client: PureAudioClient): PureAudioClient {
  return client.withOptions({ maxRetries: 0 })
}
