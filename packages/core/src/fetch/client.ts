import { callback, flag, methods, optional } from '#options'
import { anything, checkRules, type RulesOf, timeout } from '../checks/index.ts'
import {
  type AudioClientOptions,
  CLIENT,
  completeOptions,
  PureAudioClient,
  type PureAudioClientOptions,
  withParts,
} from '../client/index.ts'
import type { TelemetryOptions } from '../telemetry.ts'
import type { UnreadOptions } from '../transport/index.ts'
import { fetchTransport, type FetchTransportOptions } from './transport.ts'

/** Options of {@link createFetchClient}: those of the client, the transport and telemetry. */
export interface FetchClientOptions
  extends
    Omit<
      PureAudioClientOptions,
      'transport' | 'clock' | 'files' | 'observe' | 'nameUpload' | 'checkRequest' | 'checkOptions' | 'watchUnread'
    >,
    Pick<AudioClientOptions, 'clock'>,
    FetchTransportOptions,
    TelemetryOptions,
    UnreadOptions {}

/**
 * Creates the client for Workers, Deno, Bun and browsers. It has no access to files: pass a `Blob`, bytes or a function
 * that opens a stream. In a browser, every visitor of the page can read the key. Use it on private pages only.
 * @throws ConfigurationError naming the option
 * @example
 * const audio = createFetchClient({ apiKey: env.SVC_AUDIO_API_KEY, baseUrl: 'https://audio.example.com' })
 */
export function createFetchClient(options: FetchClientOptions): PureAudioClient {
  const rules: RulesOf<FetchClientOptions> = {
    ...CLIENT,
    clock: optional(methods('now', 'setTimer')),
    random: anything,
    fetch: optional(callback),
    headersTimeout: timeout,
    idleTimeout: timeout,
    streamUploads: optional(flag),
  }
  checkRules(options, rules, 'createFetchClient()')
  const { fetch, headersTimeout, idleTimeout, streamUploads, ...rest } = options
  const transport = fetchTransport({ fetch, headersTimeout, idleTimeout, streamUploads })
  return new PureAudioClient({ ...withParts(rest), transport })
}

/**
 * The client over `fetch`, for browsers, Workers, edge runtimes and React Native. It has no access to files: pass a
 * `Blob`, bytes or a function that opens a stream. In a browser, every visitor of the page can read the key.
 */
export class AudioClient extends PureAudioClient {
  /** @throws ConfigurationError naming the option */
  constructor(options: AudioClientOptions = {}) {
    super(completeOptions(options, { transport: fetchTransport }))
  }
}
