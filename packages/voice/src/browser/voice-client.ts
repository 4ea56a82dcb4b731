import type { PcmFormat } from '@svc-audio/core/audio'
import {
  callback,
  findOptionFault,
  integer,
  object,
  oneOf,
  optional,
  type OptionRule,
  type OptionRules,
  text,
} from '#options'
import type { ServerMessage, WireEvent } from '../protocol/messages.ts'
import { MICROPHONE_RATE, type MicrophoneFrame, type PlayerReport } from '../worklet/messages.ts'
import { Connection, type VoiceEnd } from './connection.ts'
import { EchoGuard, loudestOf } from './echo-guard.ts'
import { openVoiceAudio, type VoiceAudio } from './voice-audio.ts'

/** Code of {@link VoiceEnd} when the microphone is gone. */
const MICROPHONE_ENDED = 4000

/** A conversation with a voice agent: sends the microphone, plays the answers. */
export class VoiceClient {
  readonly #options: VoiceClientOptions
  #guard = new EchoGuard()
  #status: VoiceStatus = 'closed'
  #audio: VoiceAudio | undefined
  #connection: Connection | undefined
  #format: PcmFormat | undefined
  #report: PlayerReport = { turn: 0, played: 0, queued: 0, pieces: 0, starved: 0, level: 0 }
  /** Pieces of audio that went to the player in this turn. */
  #pieces = 0
  #sentPlayed = -1
  #isMuted = false
  #isRunning = true
  #hasMicrophone = true
  /** What the client does, apart from what keeps the user from it. */
  #state: VoiceStatus = 'closed'
  #session: string | undefined
  #settings: VoiceChoice = {}
  /** Counts the calls of `start()` and `stop()`: a start that was stopped opens nothing. */
  #run = 0

  /** @throws TypeError naming the option */
  constructor(options: VoiceClientOptions = {}) {
    check('VoiceClient', options, RULES)
    this.#options = options
    this.#settings = choiceOf(options)
  }

  /** State of the connection. */
  get status(): VoiceStatus {
    return this.#status
  }

  /** Seconds of the current answer that were played. */
  get playedSeconds(): number {
    return this.#report.played
  }

  /** Whether the server gets silence in place of the microphone: what the user was saying ends as with a pause. */
  get muted(): boolean {
    return this.#isMuted
  }

  set muted(muted: boolean) {
    this.#isMuted = muted
  }

  /**
   * Language and voice from the next turn on. A field that is left out stays. The server decides about the voice.
   * @throws TypeError naming the field and its requirement
   */
  change(choice: VoiceChoice): void {
    check('VoiceClient.change()', choice, CHOICE)
    const fresh = choiceOf(choice)
    this.#settings = { ...this.#settings, ...fresh }
    this.#connection?.send({ type: 'settings', ...fresh })
  }

  /**
   * Opens microphone and connection, and begins a conversation. Call it in a click or a key press. A `stop()` before they
   * are open ends it.
   * @throws DOMException `NotAllowedError` when the user gives no microphone, `NotFoundError` when there is none
   */
  async start(): Promise<void> {
    if (this.#state !== 'closed') throw new Error('The voice client is started already: call stop() first')
    this.#session = undefined
    await this.#open()
  }

  /**
   * Continues the conversation, in a click or a key press: lets a blocked page play, looks for a microphone, or opens the
   * connection of a conversation that has ended. The server remembers one for a minute; then a new one begins.
   * @throws DOMException as `start()`
   */
  async resume(): Promise<void> {
    if (this.#state === 'closed') await this.#open()
    else await this.#audio?.resume()
  }

  async #open(): Promise<void> {
    const url = webSocketUrl(this.#options.url ?? '/voice')
    const run = (this.#run += 1)
    this.#isRunning = true
    this.#hasMicrophone = true
    this.#guard = new EchoGuard()
    this.#setState('connecting')
    let audio: VoiceAudio
    try {
      audio = await openVoiceAudio({
        microphone: this.#options.microphone ?? {},
        worklet: this.#options.worklet,
        onFrame: (frame) => this.#send(frame),
        onReport: (report) => this.#onReport(report),
        onRunning: (isRunning) => {
          this.#isRunning = isRunning
          this.#show()
        },
        onMicrophone: (isThere) => {
          this.#hasMicrophone = isThere
          this.#show()
        },
        onStreamEnd: () => this.#end({ code: MICROPHONE_ENDED, reason: 'The microphone is gone' }),
      })
    } catch (error) {
      if (run === this.#run) this.#setState('closed')
      throw error
    }
    if (run !== this.#run) {
      await audio.close()
      return
    }
    this.#audio = audio
    this.#connection = new Connection({
      url,
      token: this.#options.token,
      sampleRate: MICROPHONE_RATE,
      session: this.#session,
      settings: () => this.#settings,
      maxReconnects: this.#options.maxReconnects ?? 10,
      onReady: () => this.#onReady(),
      onMessage: (message) => this.#receive(message),
      onAudio: (pcm) => this.#play(pcm),
      onLost: () => this.#setState('reconnecting'),
      onEnd: (end) => this.#end(end),
    })
  }

  /** Ends the conversation, and frees the microphone. */
  async stop(): Promise<void> {
    this.#run += 1
    const audio = this.#audio
    this.#session = this.#connection?.session ?? this.#session
    this.#connection?.close()
    this.#connection = undefined
    this.#audio = undefined
    this.#setState('closed')
    await audio?.close()
  }

  #end(end: VoiceEnd): void {
    if (this.#state === 'closed') return
    void this.stop()
    this.#options.onEnd?.(end)
  }

  #onReady(): void {
    // Turns of a new connection count from 0.
    this.#flush(0)
    this.#setState('listening')
  }

  #send({ pcm, level }: MicrophoneFrame): void {
    this.#options.onLevels?.({ microphone: level, speaker: this.#report.level })
    const passes = !this.#isMuted && this.#passes(level)
    // Silence keeps the time of what passes, and ends what the user was saying.
    this.#connection?.sendAudio(passes ? pcm : new ArrayBuffer(pcm.byteLength))
  }

  #passes(level: number): boolean {
    const { echoGuard = 'adaptive' } = this.#options
    if (echoGuard === 'off') return true
    if (echoGuard === 'half-duplex') return this.#state !== 'speaking'
    return this.#guard.push(level, this.#report.level)
  }

  #receive(message: ServerMessage): void {
    if (message.type === 'ready') return
    if (message.type === 'audio_format') {
      this.#format = message.format
      if (message.turn !== this.#report.turn) this.#flush(message.turn)
      return
    }
    this.#follow(message)
    this.#options.onEvent?.(message)
  }

  #follow({ type }: WireEvent): void {
    if (type === 'stt_output' || type === 'agent_turn') this.#setState('thinking')
    else if (type === 'paused') this.#pause()
    else if (type === 'resumed') this.#resume()
    else if (type === 'interrupted') this.#flush(this.#report.turn)
    else if (type === 'turn_end' && !this.#isPlaying) this.#setState('listening')
  }

  #pause(): void {
    this.#audio?.play({ type: 'pause' })
    this.#setState('paused')
  }

  #resume(): void {
    this.#audio?.play({ type: 'resume' })
    this.#setState('speaking')
  }

  #flush(turn: number): void {
    this.#audio?.play({ type: 'flush', turn })
    this.#report = { turn, played: 0, queued: 0, pieces: 0, starved: 0, level: 0 }
    this.#pieces = 0
    this.#sentPlayed = -1
  }

  #play(pcm: ArrayBuffer): void {
    if (this.#format === undefined) return
    const { sampleRate, channels } = this.#format
    this.#guard.expect(loudestOf(pcm, (sampleRate * channels) / 50))
    this.#audio?.play({ type: 'audio', pcm, sampleRate, channels })
    this.#pieces += 1
    if (this.#state !== 'paused') this.#setState('speaking')
  }

  #onReport(report: PlayerReport): void {
    if (report.turn !== this.#report.turn) return
    this.#report = report
    if (report.played !== this.#sentPlayed) {
      this.#sentPlayed = report.played
      this.#connection?.send({ type: 'played', turn: report.turn, seconds: report.played })
    }
    if (!this.#isPlaying && report.played > 0 && this.#state === 'speaking') this.#setState('listening')
  }

  /** Whether audio waits, in the player or on its way there: a report may be older than the last piece. */
  get #isPlaying(): boolean {
    return this.#report.queued > 0 || this.#report.pieces < this.#pieces
  }

  #setState(state: VoiceStatus): void {
    this.#state = state
    this.#show()
  }

  /** Tells the status when it has changed. What keeps the user from speaking comes first. */
  #show(): void {
    const isOpen = this.#state !== 'closed' && this.#state !== 'connecting'
    const hindrance = this.#isRunning ? (this.#hasMicrophone ? undefined : 'unplugged') : 'blocked'
    const status = isOpen ? (hindrance ?? this.#state) : this.#state
    if (status === this.#status) return
    this.#status = status
    this.#options.onStatus?.(status)
  }
}

/** The address of a WebSocket, from that of a page or of a server. */
function webSocketUrl(url: string): string {
  const address = new URL(url, location.href)
  address.protocol = address.protocol.replace(/^http/, 'ws')
  return address.href
}

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

const CHOICE: Readonly<Record<keyof VoiceChoice, OptionRule>> = {
  locale: optional((value) => (isLocale(value) ? undefined : 'must be a language tag such as de-AT')),
  voice: optional((value) =>
    text(value) === undefined && String(value).length <= MAX_VOICE
      ? undefined
      : `must be a string of 1 to ${MAX_VOICE} characters`,
  ),
}

const RULES: Readonly<Record<keyof VoiceClientOptions, OptionRule>> = {
  ...CHOICE,
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
function check(owner: string, options: object, rules: OptionRules): void {
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

function choiceOf({ locale, voice }: VoiceChoice): VoiceChoice {
  return { ...(locale === undefined ? {} : { locale }), ...(voice === undefined ? {} : { voice }) }
}
