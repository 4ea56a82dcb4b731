import type { VoiceClientOptions } from './voice-client.ts'

/** What is wrong with a value, or `undefined`. */
type Check = (value: unknown) => string | undefined

const isFunction: Check = (value) => (typeof value === 'function' ? undefined : 'must be a function')
const isText: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be an address')
const GUARDS: ReadonlySet<unknown> = new Set(['adaptive', 'half-duplex', 'off'])

const CHECKS: Readonly<Record<keyof VoiceClientOptions, Check>> = {
  url: isText,
  token: isFunction,
  microphone: (value) =>
    typeof value === 'object' && value !== null ? undefined : 'must be constraints of a microphone, or a MediaStream',
  echoGuard: (value) => (GUARDS.has(value) ? undefined : "must be 'adaptive', 'half-duplex' or 'off'"),
  worklet: isText,
  maxReconnects: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? undefined
      : 'must be a non-negative integer',
  onEvent: isFunction,
  onStatus: isFunction,
  onLevels: isFunction,
  onEnd: isFunction,
}

/**
 * Checks options when they are given. Pages load no other package, so `@svc-audio/options` is not used here.
 * @throws TypeError naming the option and its requirement
 */
export function checkVoiceClientOptions(options: VoiceClientOptions): void {
  const checks: ReadonlyMap<string, Check> = new Map(Object.entries(CHECKS))
  for (const [name, value] of Object.entries(options)) {
    const check = checks.get(name)
    if (check === undefined)
      throw new TypeError(`VoiceClient: Unknown option \`${name}\`. The options are ${[...checks.keys()].join(', ')}`)
    const fault = value === undefined ? undefined : check(value)
    if (fault !== undefined) throw new TypeError(`VoiceClient: \`${name}\` ${fault}`)
  }
}
