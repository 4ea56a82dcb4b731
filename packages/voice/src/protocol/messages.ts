import type { PcmFormat } from '@svc-audio/core/audio'
import type { VoiceEvent, VoiceEventTime, VoiceStage } from '../events.ts'

/** Version of the protocol between the browser and the server. */
export const VOICE_PROTOCOL = 1

/** Texts of the client. Binary frames beside them are PCM of the microphone, in the format of `start`. */
export type ClientMessage =
  /** The first message. The server replies with `ready`. */
  | {
      readonly type: 'start'
      /** {@link VOICE_PROTOCOL} of the client. Another version is refused with `protocol`. */
      readonly protocol: number
      /** 16-bit mono. */
      readonly format: PcmFormat
      /** What `authenticate` of the server gets. */
      readonly token?: string
      /** The session to continue, from the `ready` of an earlier connection. */
      readonly session?: string
      /** Language of the user, a tag such as `de-AT`. */
      readonly locale?: string
      /** Voice that the user has chosen. The server decides whether it speaks. */
      readonly voice?: string
    }
  /** Language and voice from the next turn on. A field that is left out stays. */
  | {
      readonly type: 'settings'
      /** Language of the user, a tag such as `de-AT`. */
      readonly locale?: string
      /** Voice that the user has chosen. */
      readonly voice?: string
    }
  /** Position of the player in the answer of a turn. */
  | {
      readonly type: 'played'
      /** The turn, as in `audio_format`. */
      readonly turn: number
      /** Seconds of its audio that the user has heard. */
      readonly seconds: number
    }
  /** The client is there, while its microphone is muted. */
  | { readonly type: 'alive' }

/** An event of the pipeline without audio, as the server sends it. */
export type WireEvent =
  | Exclude<
      VoiceEvent,
      { readonly type: 'tts_chunk' | 'tool_call' | 'tool_result' | 'error' | 'say' | 'interrupt' | 'stt_early' }
    >
  /** Arguments and results of tools stay on the server. */
  | (VoiceEventTime & {
      readonly type: 'tool_call'
      /** Id of the call. Its result has the same. */
      readonly id: string
      /** Name of the tool. */
      readonly name: string
    })
  | (VoiceEventTime & {
      readonly type: 'tool_result'
      /** Id of the call. */
      readonly toolCallId: string
      /** Name of the tool. */
      readonly name: string
    })
  | (VoiceEventTime & {
      readonly type: 'error'
      /** The stage that failed. */
      readonly stage: VoiceStage
      /** `budget`: an account, a quota or a budget is spent, so asking again does not help. */
      readonly reason: 'failed' | 'budget'
      /** What went wrong, without details of the server. */
      readonly message: string
    })

/** Texts of the server. Binary frames beside them are PCM of the answer, in the format of the last `audio_format`. */
export type ServerMessage =
  | {
      readonly type: 'ready'
      /** {@link VOICE_PROTOCOL} of the server. */
      readonly protocol: number
      /** Secret name of the session, for a reconnect. */
      readonly session: string
      /** Whether the conversation of an earlier connection continues. */
      readonly resumed: boolean
    }
  /** Audio of a turn follows. A new turn begins its position at 0. */
  | {
      readonly type: 'audio_format'
      /** Number of the turn, from 1. */
      readonly turn: number
      /** Sample rate, channels and depth of the binary frames that follow. */
      readonly format: PcmFormat
    }
  | WireEvent

/** Codes with which the server closes a connection. */
export const VOICE_CLOSE: Readonly<
  Record<
    | 'ended'
    | 'restart'
    | 'busy'
    | 'protocol'
    | 'unauthorized'
    | 'origin'
    | 'idle'
    | 'replaced'
    | 'tooLong'
    | 'tooLarge'
    | 'tooFast'
    | 'tooSlow'
    | 'failed',
    number
  >
> = {
  /** The conversation is over. */
  ended: 1000,
  /** The server restarts: connect again. */
  restart: 1012,
  /** Too many sessions: try again later. */
  busy: 1013,
  /** A message that the protocol does not have. */
  protocol: 4400,
  /** `authenticate` refused the user. */
  unauthorized: 4401,
  /** The page's origin is not allowed. */
  origin: 4403,
  /** Nothing came from the client for too long. */
  idle: 4408,
  /** Another connection continues the session. */
  replaced: 4409,
  /** The session reached its longest time. */
  tooLong: 4410,
  /** A frame is larger than allowed. */
  tooLarge: 4413,
  /** Audio came faster than it can be spoken. */
  tooFast: 4429,
  /** The client does not read what it is sent. */
  tooSlow: 4430,
  /** The pipeline failed. */
  failed: 4500,
}

/** Rates of microphones. */
const MIN_RATE = 8000
const MAX_RATE = 48_000
/** Longest token, in characters. */
const MAX_TOKEN = 8192
/** Longest name of a session, in characters. */
const MAX_SESSION = 64

/**
 * Reads a text of a client.
 * @returns What is wrong, as a string, when the protocol does not have the message.
 */
export function readClientMessage(text: string): ClientMessage | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'The text is not JSON'
  }
  if (typeof value !== 'object' || value === null) return 'The text is not a JSON object'
  const read = (name: string): unknown => Reflect.get(value, name)
  switch (read('type')) {
    case 'start':
      return readStart(read)
    case 'played':
      return readPlayed(read('turn'), read('seconds'))
    case 'alive':
      return { type: 'alive' }
    case 'settings':
      return readSettings(read, { type: 'settings' })
    default:
      return '`type` must be start, played, settings or alive'
  }
}

function readStart(read: (name: string) => unknown): ClientMessage | string {
  if (read('protocol') !== VOICE_PROTOCOL) return `\`protocol\` must be ${VOICE_PROTOCOL}`
  const format = read('format')
  const part = (name: string): unknown =>
    typeof format === 'object' && format !== null ? Reflect.get(format, name) : undefined
  const sampleRate = part('sampleRate')
  if (typeof sampleRate !== 'number' || !Number.isInteger(sampleRate) || sampleRate < MIN_RATE || sampleRate > MAX_RATE)
    return `\`format.sampleRate\` must be an integer from ${MIN_RATE} to ${MAX_RATE}`
  if (part('channels') !== 1) return '`format.channels` must be 1'
  if (part('bitDepth') !== 16) return '`format.bitDepth` must be 16'
  const token = read('token')
  if (token !== undefined && (typeof token !== 'string' || token.length > MAX_TOKEN))
    return `\`token\` must be a string of at most ${MAX_TOKEN} characters`
  const session = read('session')
  if (session !== undefined && (typeof session !== 'string' || session.length > MAX_SESSION))
    return `\`session\` must be a string of at most ${MAX_SESSION} characters`
  return readSettings(read, {
    type: 'start',
    protocol: VOICE_PROTOCOL,
    format: { sampleRate, channels: 1, bitDepth: 16 },
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { session }),
  })
}

/** Longest name of a voice, in characters. */
const MAX_VOICE = 256

/** Adds language and voice to a message. */
function readSettings<Message extends ClientMessage>(
  read: (name: string) => unknown,
  message: Message,
): Message | string {
  const [locale, voice] = [read('locale'), read('voice')]
  if (locale !== undefined && !isLocale(locale)) return '`locale` must be a language tag such as de-AT'
  if (voice !== undefined && (typeof voice !== 'string' || voice === '' || voice.length > MAX_VOICE))
    return `\`voice\` must be a string of 1 to ${MAX_VOICE} characters`
  return {
    ...message,
    ...(locale === undefined ? {} : { locale }),
    ...(voice === undefined ? {} : { voice }),
  }
}

function isLocale(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_SESSION) return false
  try {
    return Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

function readPlayed(turn: unknown, seconds: unknown): ClientMessage | string {
  if (typeof turn !== 'number' || !Number.isSafeInteger(turn) || turn < 0)
    return '`turn` must be a non-negative integer'
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0)
    return '`seconds` must be a non-negative number'
  return { type: 'played', turn, seconds }
}

/** What the browser reads about a failed stage. The error itself stays on the server: it may name internal things. */
const FAILURES: Readonly<Record<VoiceStage, string>> = {
  transcribe: 'Your words were not understood. Say them again.',
  agent: 'The answer failed. Ask again.',
  speak: 'The answer could not be spoken to its end. Ask again.',
}

/** What the browser reads when an account, a quota or a budget is spent. */
const SPENT = 'The budget for conversations is spent. Try again later.'

/** Whether an error says that money or a quota is spent, in the words of the usual services. */
export function isBudgetError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const read = (name: string): unknown => Reflect.get(error, name)
  const words = [read('code'), read('type'), read('name')].filter((word) => typeof word === 'string').join(' ')
  return read('status') === 402 || /quota|budget|billing|insufficient_?(?:balance|credit|fund)/i.test(words)
}

/** The event as a browser may read it. Audio goes apart, as binary frames. `undefined` for what stays on the server. */
export function wireEvent(event: Exclude<VoiceEvent, { readonly type: 'tts_chunk' }>): WireEvent | undefined {
  const { ts } = event
  if (event.type === 'tool_call') return { type: 'tool_call', ts, id: event.id, name: event.name }
  if (event.type === 'tool_result') return { type: 'tool_result', ts, toolCallId: event.toolCallId, name: event.name }
  if (event.type === 'error') {
    const isSpent = isBudgetError(event.error)
    const message = isSpent ? SPENT : FAILURES[event.stage]
    return { type: 'error', ts, stage: event.stage, reason: isSpent ? 'budget' : 'failed', message }
  }
  return event.type === 'say' || event.type === 'interrupt' || event.type === 'stt_early' ? undefined : event
}
