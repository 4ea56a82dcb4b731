import {
  callback,
  findOptionFault,
  integer,
  methods,
  object,
  oneOf,
  optional,
  type OptionRule,
  type OptionRules,
  text,
} from '#options'
import type { SpeechDetection } from '../detect/speech-detector.ts'
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
  /** The browser lets the page play and record only after a click: call `resume()` in one. */
  | 'blocked'
  /** The microphone is gone. The conversation continues as soon as another one is plugged in. */
  | 'unplugged'

/** Loudness, 0 to 1: the root mean square. */
export interface VoiceLevels {
  /** Of what the microphone hears. */
  readonly microphone: number
  /** Of the answer that is played. */
  readonly speaker: number
}

/** What a user may choose. */
export interface VoiceChoice {
  /** Language, a tag such as `de-AT`. Answers are spoken in it. */
  readonly locale?: string
  /** Voice of the answers. The server decides whether it follows. */
  readonly voice?: string
}

/** Options of {@link VoiceClient}. */
export interface VoiceClientOptions extends VoiceChoice {
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
   * What tells speech from other sounds in the page, such as `sileroSpeech({ … })`. Then the server gets speech, a quarter of
   * a second before it and a second after it, and silence in place of everything else.
   * @default none: the server gets everything, and decides
   */
  readonly speech?: SpeechDetection
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

/** Longest language tag and name of a voice that the server takes, in characters. */
const MAX_LOCALE = 64
const MAX_VOICE = 256

/** Checks of {@link VoiceChoice}. */
export const CHOICE: Readonly<Record<keyof VoiceChoice, OptionRule>> = {
  locale: optional((value) => (isLocale(value) ? undefined : 'must be a language tag such as de-AT')),
  voice: optional((value) =>
    text(value) === undefined && String(value).length <= MAX_VOICE
      ? undefined
      : `must be a string of 1 to ${MAX_VOICE} characters`,
  ),
}

/** Checks of {@link VoiceClientOptions}. */
export const RULES: Readonly<Record<keyof VoiceClientOptions, OptionRule>> = {
  ...CHOICE,
  url: optional(text),
  token: optional(callback),
  microphone: optional((value) =>
    object(value) === undefined ? undefined : 'must be constraints of a microphone, or a MediaStream',
  ),
  echoGuard: optional(oneOf(['adaptive', 'half-duplex', 'off'])),
  speech: optional(methods('open')),
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
export function check(owner: string, options: object, rules: OptionRules): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault !== undefined) throw new TypeError(fault.message)
}

function isLocale(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_LOCALE) return false
  try {
    return Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

/** The fields that are given. */
export function choiceOf({ locale, voice }: VoiceChoice): VoiceChoice {
  return { ...(locale === undefined ? {} : { locale }), ...(voice === undefined ? {} : { voice }) }
}
