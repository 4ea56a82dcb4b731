import { callback, flag, integer, type OptionRule, optional, positive } from '@svc-audio/options'
import type { ClientOptions, PureAudioClientOptions } from '../client-options.ts'
import type { TelemetryOptions } from '../telemetry/telemetry-options.ts'
import type { WaitOptions } from '../tasks/wait-options.ts'
import type { CallOptions } from '../transport/call.ts'
import type { CheckOptions } from './option-check.ts'
import { anything, checkRules, type RulesOf, timeout } from './option-rules.ts'

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
