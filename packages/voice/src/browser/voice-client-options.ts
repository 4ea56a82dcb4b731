import type { WireEvent } from '../protocol/messages.ts'
import type { VoiceEnd } from './connection.ts'

/** What a client does at the moment. */
export type VoiceStatus =
  /** Not started, or ended. */
  | 'closed'
  /** Opens microphone and connection. */
  | 'connecting'
  /** The user may speak. */
  | 'listening'
  /** The agent works on an answer. */
  | 'thinking'
  /** The answer plays. */
  | 'speaking'
  /** The answer pauses, because the user makes a sound. */
  | 'paused'
  /** The connection is lost, and another one is tried. */
  | 'reconnecting'

/** Loudness, 0 to 1: the root mean square. */
export interface VoiceLevels {
  /** Of what the microphone hears. */
  readonly microphone: number
  /** Of the answer that is played. */
  readonly speaker: number
}

/** Options of {@link VoiceClient}. */
export interface VoiceClientOptions {
  /** Address of the server: `wss:`, `https:`, or a path of the page's own server. @default '/voice' */
  readonly url?: string
  /** Called for each connection. The server's `authenticate` gets what it returns. */
  readonly token?: () => string | Promise<string>
  /** Constraints of the microphone, or a stream of the page's own. @default the usual one, with echo cancellation */
  readonly microphone?: MediaTrackConstraints | MediaStream
  /**
   * What reaches the server while an answer plays. `adaptive`: what is clearly louder than the echo of the answer.
   * `half-duplex`: nothing, so that nobody speaks into the answer. `off`: everything.
   * @default 'adaptive'
   */
  readonly echoGuard?: 'adaptive' | 'half-duplex' | 'off'
  /**
   * Address of `dist/voice-worklet.js` of this package, served by the page's server. For a content security policy
   * without `blob:`.
   */
  readonly worklet?: string
  /** Attempts in a row to reconnect. @default 10 */
  readonly maxReconnects?: number
  /** An event of the pipeline: transcripts, pieces of the answer, tools, errors of a turn. */
  readonly onEvent?: (event: WireEvent) => void
  /** The state of the connection has changed. */
  readonly onStatus?: (status: VoiceStatus) => void
  /** 50 times per second while the microphone is open. */
  readonly onLevels?: (levels: VoiceLevels) => void
  /** The conversation ended without `stop()`: the server ended it, refused it, or cannot be reached. */
  readonly onEnd?: (end: VoiceEnd) => void
}

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
