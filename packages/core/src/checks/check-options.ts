import { ConfigurationError } from '../errors/request-errors.ts'
import type { WaitOptions } from '../tasks/wait-options.ts'
import type { CallOptions } from '../transport/call-options.ts'

/**
 * Checks the option names of a call or a wait.
 * @throws ConfigurationError naming an unknown option
 */
export type CheckOptions = (options: object, of: 'call' | 'wait') => void

const CALL: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeout: true,
  idleEventsTimeout: true,
  headers: true,
  maxRetries: true,
  retryAmbiguous: true,
  idempotencyKey: true,
  onUploadProgress: true,
}

const WAIT: Readonly<Record<keyof WaitOptions, true>> = {
  signal: true,
  timeout: true,
  pollInterval: true,
  onUpdate: true,
  notBefore: true,
}

/** Refuses unknown options of calls and waits. Pass it to a `PureAudioClient` as `checkOptions`. */
export const checkOptions: CheckOptions = (options, of) => checkNames(options, of === 'call' ? CALL : WAIT, `a ${of}`)

/** @throws ConfigurationError naming the first option that is not in `names` */
export function checkNames(options: object, names: object, owner: string): void {
  for (const name in options) {
    if (Object.hasOwn(names, name)) continue
    throw new ConfigurationError(`${name} is not an option of ${owner}: use ${Object.keys(names).join(', ')}`)
  }
}
