import { callback, flag, integer, methods, optional, type OptionRule, positive } from '#options'
import { anything, type CheckOptions, checkRequest, checkRules, type RulesOf, timeout } from '../checks/index.ts'
import { ConfigurationError } from '../errors.ts'
import type { WaitOptions } from '../tasks/index.ts'
import { telemetry, type TelemetryOptions } from '../telemetry.ts'
import {
  type CallOptions,
  createSemaphore,
  type Transport,
  type UnreadOptions,
  watchUnread,
  webClock,
} from '../transport/index.ts'
import { type FileAccess, nameUpload } from '../uploads/index.ts'
import type { AudioClientOptions, ClientOptions, PureAudioClientOptions } from './options.ts'

const headers: OptionRule = (value) => {
  if (typeof value !== 'object' || value === null) return 'must be an object of strings'
  for (const [name, text] of Object.entries(value)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      return { at: `[${JSON.stringify(name)}]`, fault: 'must be a header name that HTTP allows', isSecret: true }
    }
    // The value may be a secret, so the message does not repeat it.
    if (typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      return { at: `.${name}`, fault: 'must be a string of printable Latin-1 characters', isSecret: true }
    }
  }
  return undefined
}

const idempotencyKey: OptionRule = (value) =>
  typeof value === 'string' && /^[!-~]{1,255}$/.test(value)
    ? undefined
    : { fault: 'must be 1 to 255 visible ASCII characters', isSecret: true }

const SHARED: RulesOf<ClientOptions> = {
  timeout,
  idleEventsTimeout: timeout,
  maxRetries: optional(integer(0)),
  idempotent: optional(flag),
  maxUploadBytes: optional(integer(1, 'bytes')),
  headers: optional(headers),
  allowPrivateUrls: optional(flag),
  semaphore: anything,
}

/** Rules of the options that every client with a platform has. */
export const CLIENT: RulesOf<
  ClientOptions & Pick<PureAudioClientOptions, 'apiKey' | 'baseUrl'> & TelemetryOptions & { unreadTimeout: number }
> = {
  ...SHARED,
  apiKey: anything,
  baseUrl: anything,
  logger: anything,
  tracer: anything,
  traceContent: optional(flag),
  unreadTimeout: timeout,
}

/** Rules of a client with its platform. */
const COMPLETE: RulesOf<PureAudioClientOptions> = {
  ...CLIENT,
  transport: anything,
  clock: anything,
  files: anything,
  observe: anything,
  checkRequest: anything,
  checkOptions: anything,
  nameUpload: anything,
  watchUnread: anything,
  random: anything,
}

const CALL: RulesOf<CallOptions> = {
  signal: anything,
  timeout,
  idleEventsTimeout: timeout,
  headers: optional(headers),
  maxRetries: optional(integer(0)),
  retryAmbiguous: optional(flag),
  idempotencyKey: optional(idempotencyKey),
  onUploadProgress: optional(callback),
}

const WAIT: RulesOf<WaitOptions> = {
  signal: anything,
  timeout,
  pollInterval: optional(positive('milliseconds')),
  onUpdate: optional(callback),
  notBefore: anything,
}

const RULES = { client: COMPLETE, call: CALL, wait: WAIT }

/** Checks options of clients, calls and waits. Pass it to a `PureAudioClient` as `checkOptions`. */
export const checkOptions: CheckOptions = (options, of) => checkRules(options, RULES[of], `options of a ${of}`)

const AUDIO_CLIENT: RulesOf<AudioClientOptions> = {
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
 * Fills in the options of `AudioClient` that the caller left out.
 * @throws ConfigurationError naming the option and the environment variable
 */
export function completeOptions(options: AudioClientOptions, { transport, files }: Platform): PureAudioClientOptions {
  checkRules(options, AUDIO_CLIENT, 'AudioClient')
  return {
    ...withParts(options),
    apiKey: options.apiKey ?? fromEnvironment('apiKey'),
    baseUrl: options.baseUrl ?? fromEnvironment('baseUrl'),
    transport: options.transport ?? transport(),
    ...(files === undefined ? {} : { files }),
  }
}

/** Adds the parts that a `PureAudioClient` has only if its caller passes them: checks, telemetry, limits and a clock. */
export function withParts<
  Given extends Pick<AudioClientOptions, 'clock' | 'semaphore'> & TelemetryOptions & UnreadOptions,
>(options: Given): Given & Omit<PureAudioClientOptions, 'apiKey' | 'baseUrl' | 'transport'> {
  return {
    ...options,
    clock: options.clock ?? webClock,
    semaphore: options.semaphore ?? createSemaphore(64),
    observe: telemetry(options),
    nameUpload,
    checkRequest,
    checkOptions,
    watchUnread: watchUnread(options),
  }
}

/** The variable of each option, and what it holds. A wrong one is often a placeholder of a documentation. */
const VARIABLES = {
  apiKey: {
    variable: 'SVC_AUDIO_API_KEY',
    fits: (value: string) => /^[!-~]+$/.test(value),
    must: 'must be the key of the service: visible ASCII characters without spaces',
  },
  baseUrl: {
    variable: 'SVC_AUDIO_BASE_URL',
    fits: (value: string) => /^https?:\/\/[!-~]/i.test(value) && URL.canParse(value),
    must: 'must be the address of the service, e.g. http://127.0.0.1:8787',
  },
} as const

function fromEnvironment(option: keyof typeof VARIABLES): string {
  const { variable, fits, must } = VARIABLES[option]
  // Browsers have no `process`.
  const value = typeof process === 'object' ? (process.env[variable] ?? '') : ''
  if (value === '') throw new ConfigurationError(`${option} is missing: pass it to the client or set ${variable}`)
  if (!fits(value)) throw new ConfigurationError(`The variable ${variable} ${must}`)
  return value
}
