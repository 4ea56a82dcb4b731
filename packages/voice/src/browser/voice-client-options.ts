import { callback, findOptionFault, integer, object, oneOf, optional, type OptionRule, text } from '@svc-audio/options'
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

const RULES: Readonly<Record<keyof VoiceClientOptions, OptionRule>> = {
  url: optional(text),
  token: optional(callback),
  microphone: optional((value) =>
    object(value) === undefined ? undefined : 'must be constraints of a microphone, or a MediaStream',
  ),
  echoGuard: optional(oneOf(['adaptive', 'half-duplex', 'off'])),
  worklet: optional(text),
  maxReconnects: optional(integer(0)),
  onEvent: optional(callback),
  onStatus: optional(callback),
  onLevels: optional(callback),
  onEnd: optional(callback),
}

/**
 * Checks options when they are given.
 * @throws TypeError naming the option and its requirement
 */
export function checkVoiceClientOptions(options: VoiceClientOptions): void {
  const fault = findOptionFault(options, RULES, 'VoiceClient')
  if (fault !== undefined) throw new TypeError(fault.message)
}
