import { methods, optional } from '@svc-audio/options'
import { checkOptions, CLIENT } from './checks/check-options.ts'
import { anything, checkRules, type RulesOf } from './checks/option-rules.ts'
import { checkRequest } from './checks/check-request.ts'
import type { ClientOptions, PureAudioClientOptions } from './client-options.ts'
import { ConfigurationError } from './errors/request-errors.ts'
import { telemetry, type TelemetryOptions } from './telemetry/telemetry.ts'
import type { ApiKey } from './transport/key-source.ts'
import { createSemaphore } from './transport/semaphore.ts'
import type { Clock, Transport } from './transport/transport.ts'
import { nameUpload } from './transport/upload-name.ts'
import type { FileAccess } from './transport/upload-source.ts'
import { type UnreadOptions, watchUnread } from './transport/watch-unread.ts'
import { webClock } from './transport/idle-timer.ts'

/** Options of `AudioClient`, on every runtime. */
export interface AudioClientOptions extends ClientOptions, TelemetryOptions, UnreadOptions {
  /**
   * The bearer key, or a function that returns the current one, called before each request.
   * @default the environment variable `SVC_AUDIO_API_KEY`
   */
  readonly apiKey?: ApiKey
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped.
   * @default the environment variable `SVC_AUDIO_BASE_URL`
   */
  readonly baseUrl?: string
  /** What carries the requests. @default `nodeTransport()` on Node, else `fetchTransport()` */
  readonly transport?: Transport
  /**
   * The clock of retries, polls and deadlines: `createTestClock()` of `@svc-audio/testing` in a test.
   * @default the runtime's timers
   */
  readonly clock?: Clock
}

const RULES: RulesOf<AudioClientOptions> = {
  ...CLIENT,
  transport: anything,
  clock: optional(methods('now', 'setTimer')),
}

/** What a runtime fills in. */
interface Platform {
  readonly transport: () => Transport
  readonly files?: FileAccess
}

/**
 * Fills in the options that the caller left out.
 * @throws ConfigurationError naming the option and the environment variable
 */
export function completeOptions(options: AudioClientOptions, { transport, files }: Platform): PureAudioClientOptions {
  checkRules(options, RULES, 'AudioClient')
  return {
    ...options,
    apiKey: options.apiKey ?? fromEnvironment('apiKey', 'SVC_AUDIO_API_KEY'),
    baseUrl: options.baseUrl ?? fromEnvironment('baseUrl', 'SVC_AUDIO_BASE_URL'),
    transport: options.transport ?? transport(),
    clock: options.clock ?? webClock,
    ...(files === undefined ? {} : { files }),
    semaphore: options.semaphore ?? createSemaphore(64),
    observe: telemetry(options),
    nameUpload,
    checkRequest,
    checkOptions,
    watchUnread: watchUnread(options),
  }
}

function fromEnvironment(option: string, variable: string): string {
  // Browsers have no `process`.
  const value = typeof process === 'object' ? process.env[variable] : undefined
  if (value !== undefined && value !== '') return value
  throw new ConfigurationError(`${option} is missing: pass it to the client or set ${variable}`)
}
