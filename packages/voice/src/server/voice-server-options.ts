import type { PcmFormat } from '@svc-audio/core/audio'
import { callback, fields, integer, milliseconds, optional, type OptionRules, positive } from '#options'
import type { VoiceEvent } from '../events.ts'
import type { WireEvent } from '../protocol/messages.ts'
import type { VoiceControl } from './voice-control.ts'

/** What a client says about its user. It is input of a stranger: check a voice before it speaks. */
export interface VoiceSettings {
  /** Language of the user, a tag such as `de-AT`. */
  readonly locale?: string
  /** Voice that the user has chosen. */
  readonly voice?: string
}

/** A user who speaks with the server. */
export interface VoiceCall<User, State> {
  /** PCM of the microphone while the user is connected. */
  readonly microphone: AsyncIterable<Uint8Array>
  /** Format of the microphone: 16-bit mono. */
  readonly format: PcmFormat
  /** Seconds of the current answer that the user's player has played. */
  readonly playedSeconds: () => number
  /** Language and voice that the client names. They may change between turns, so ask again for each. */
  readonly settings: () => VoiceSettings
  /** Lets the agent speak by itself, and ends an answer. */
  readonly control: VoiceControl
  /** Whether the call continues a session of an earlier connection. */
  readonly resumed: boolean
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal
  /** What `authenticate` returned. */
  readonly user: User
  /** What `createState` made. A reconnect continues with the same one. */
  readonly state: State
  /** The request that became the WebSocket. */
  readonly request: VoiceRequest
}

/** Limits of {@link VoiceServerOptions}. */
export interface VoiceLimits {
  /** Simultaneous connections. @default 100 */
  readonly sessions?: number
  /** Bytes of a frame from the client. @default 65536 */
  readonly frameBytes?: number
  /** Milliseconds until `start` and its authentication are done. @default 10000 */
  readonly startTimeout?: number
  /** Milliseconds without any frame from the client. A microphone sends 50 per second. @default 30000 */
  readonly idleTimeout?: number
  /** Milliseconds of a connection. @default 3600000, an hour */
  readonly sessionTimeout?: number
  /** Bytes that wait for a slow client. @default 1048576 */
  readonly bufferedBytes?: number
  /** Seconds of audio that a client may send ahead of time. @default 10 */
  readonly aheadSeconds?: number
}

/** Options of `VoiceServer`. */
export interface VoiceServerOptions<User = undefined, State = undefined> {
  /**
   * Speaks with one user: reads the microphone and yields the events of a pipeline. `voiceAgent` of
   * `@svc-audio/langchain-tools/voice` makes one. The end of the reading aborts it.
   */
  readonly converse: (call: VoiceCall<User, State>) => AsyncIterable<VoiceEvent>
  /**
   * Returns the user of a connection, or `undefined` to refuse it. It runs before anything is spent. Browsers send cookies
   * with the request; `token` is what the client was given.
   * @default everybody may speak
   */
  readonly authenticate?: (
    request: VoiceRequest,
    token: string | undefined,
    signal: AbortSignal,
  ) => User | undefined | Promise<User | undefined>
  /**
   * Origins of pages that may connect, such as `https://example.com`, or a function. A request without an origin comes from
   * a program and passes.
   * @default the host of the request
   */
  readonly origins?: readonly string[] | ((origin: string, request: VoiceRequest) => boolean)
  /** Makes what a conversation keeps over reconnects, such as its history. */
  readonly createState?: (user: User) => State
  /** Whether two connections belong to the same user. A session continues for the same user only. @default `Object.is` of JSON */
  readonly isSameUser?: (one: User, other: User) => boolean
  /** Milliseconds for which a session waits for its reconnect. @default 60000 */
  readonly reconnectTimeout?: number
  /** What a browser gets of an event. `undefined` sends nothing. @default every event, without arguments and results of tools */
  readonly visible?: (event: WireEvent) => WireEvent | undefined
  /** What one client and all clients may use. @default those of {@link VoiceLimits} */
  readonly limits?: VoiceLimits
  /** A pipeline, an authentication or a stage of the pipeline failed. @default `console.error` */
  readonly onError?: (error: unknown) => void
}

const LIMITS: Readonly<Record<keyof VoiceLimits, OptionRules[string]>> = {
  sessions: optional(integer(1)),
  frameBytes: optional(integer(1024, 'bytes')),
  startTimeout: optional(milliseconds),
  idleTimeout: optional(milliseconds),
  sessionTimeout: optional(milliseconds),
  bufferedBytes: optional(integer(1024, 'bytes')),
  aheadSeconds: optional(positive('seconds')),
}

/** Rules of {@link VoiceServerOptions}. */
export const VOICE_SERVER_RULES: Readonly<Record<keyof VoiceServerOptions, OptionRules[string]>> = {
  converse: callback,
  authenticate: optional(callback),
  origins: optional(originsFault),
  createState: optional(callback),
  isSameUser: optional(callback),
  reconnectTimeout: optional(milliseconds),
  visible: optional(callback),
  limits: optional(fields(LIMITS)),
  onError: optional(callback),
}

function originsFault(value: unknown): string | undefined {
  if (typeof value === 'function') return undefined
  const all = Array.isArray(value) && value.every((one) => typeof one === 'string' && isOrigin(one))
  return all ? undefined : "must be a function or an array of origins such as 'https://example.com', without a path"
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value
}

/** The limits, with their defaults. */
export function resolveLimits(limits: VoiceLimits = {}): Required<VoiceLimits> {
  return {
    sessions: 100,
    frameBytes: 65_536,
    startTimeout: 10_000,
    idleTimeout: 30_000,
    sessionTimeout: 3_600_000,
    bufferedBytes: 1_048_576,
    aheadSeconds: 10,
    ...limits,
  }
}

/** What the server needs of a WebSocket. Frameworks have their own classes. */
export interface VoiceSocket {
  /** Sends a text or a binary frame. */
  send(data: string | Uint8Array): void
  /** Closes the connection. */
  close(code: number, reason: string): void
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
}

/** The request that became a WebSocket. */
export interface VoiceRequest {
  /** Path and query, such as `/voice?room=3`. */
  readonly url: string
  /** Its headers. */
  readonly headers: Headers
}

/** A connection, for the adapter that owns its socket. */
export interface VoiceConnection {
  /** A frame of the client: a string for text, bytes for a binary frame. */
  receive(data: string | Uint8Array): void
  /** The socket is closed, by either side. */
  closed(): void
}
