import { callback, flag, methods, optional } from '@svc-audio/options'
import { PureAudioClient } from '../client.ts'
import type { PureAudioClientOptions } from '../client-options.ts'
import type { AudioClientOptions } from '../audio-client-options.ts'
import { checkOptions, CLIENT } from '../checks/check-options.ts'
import { anything, checkRules, type RulesOf, timeout } from '../checks/option-rules.ts'
import { checkRequest } from '../checks/check-request.ts'
import { telemetry, type TelemetryOptions } from '../telemetry/telemetry.ts'
import { createSemaphore } from '../transport/semaphore.ts'
import { nameUpload } from '../transport/upload-name.ts'
import { type UnreadOptions, watchUnread } from '../transport/watch-unread.ts'
import { webClock } from '../transport/idle-timer.ts'
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

const RULES: RulesOf<FetchClientOptions> = {
  ...CLIENT,
  clock: optional(methods('now', 'setTimer')),
  random: anything,
  fetch: optional(callback),
  headersTimeout: timeout,
  idleTimeout: timeout,
  streamUploads: optional(flag),
}

/**
 * Creates the client for Workers, Deno, Bun and browsers. It has no access to files: pass a `Blob`, bytes or a function
 * that opens a stream. In a browser, every visitor of the page can read the key. Use it on private pages only.
 * @throws ConfigurationError naming the option
 * @example
 * const audio = createFetchClient({ apiKey: env.SVC_AUDIO_API_KEY, baseUrl: 'https://audio.example.com' })
 */
export function createFetchClient(options: FetchClientOptions): PureAudioClient {
  checkRules(options, RULES, 'createFetchClient()')
  const {
    semaphore = createSemaphore(64),
    clock = webClock,
    fetch,
    headersTimeout,
    idleTimeout,
    streamUploads,
    ...rest
  } = options
  const transport = fetchTransport({ fetch, headersTimeout, idleTimeout, streamUploads })
  return new PureAudioClient({
    ...rest,
    transport,
    clock,
    semaphore,
    observe: telemetry(options),
    nameUpload,
    checkRequest,
    checkOptions,
    watchUnread: watchUnread(options),
  })
}
