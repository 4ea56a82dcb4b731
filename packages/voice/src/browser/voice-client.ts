import type { PcmFormat } from '@svc-audio/core/audio'
import type { ServerMessage, WireEvent } from '../protocol/messages.ts'
import { MICROPHONE_RATE, type MicrophoneFrame, type PlayerReport } from '../worklet/messages.ts'
import { Connection, type VoiceEnd } from './connection.ts'
import { EchoGuard, loudestOf } from './echo-guard.ts'
import { SpeechGate } from './speech-gate.ts'
import { openVoiceAudio, type VoiceAudio, type VoiceAudioOptions } from './voice-audio.ts'
import {
  check,
  CHOICE,
  choiceOf,
  RULES,
  type VoiceChoice,
  type VoiceClientOptions,
  type VoiceStatus,
} from './voice-client-options.ts'

/** Code of {@link VoiceEnd} when the microphone is gone. */
const MICROPHONE_ENDED = 4000

/** A conversation with a voice agent: sends the microphone, plays the answers. */
export class VoiceClient {
  readonly #options: VoiceClientOptions
  #guard = new EchoGuard()
  #status: VoiceStatus = 'closed'
  #audio: VoiceAudio | undefined
  #connection: Connection | undefined
  /** Tells speech from other sounds, where the page asks for it. */
  #gate: SpeechGate | undefined
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
    const gate = await this.#openSound(run)
    if (run !== this.#run) return
    this.#gate = gate
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

  /** @throws whatever failed first. Nothing stays open then */
  async #openSound(run: number): Promise<SpeechGate | undefined> {
    try {
      // Browsers open sound in the click alone, so nothing comes before it.
      const [, detector] = await Promise.all([this.#openAudio(run), this.#options.speech?.open()])
      const send = (pcm: ArrayBuffer): void => void this.#connection?.sendAudio(pcm)
      return detector === undefined ? undefined : new SpeechGate(detector, send)
    } catch (error) {
      if (run === this.#run) await this.stop()
      throw error
    }
  }

  async #openAudio(run: number): Promise<void> {
    const audio = await openVoiceAudio(this.#soundOptions())
    if (run === this.#run) this.#audio = audio
    else await audio.close()
  }

  #soundOptions(): VoiceAudioOptions {
    return {
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
    }
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
    const sent = passes ? pcm : new ArrayBuffer(pcm.byteLength)
    if (this.#gate === undefined) this.#connection?.sendAudio(sent)
    else this.#gate.push(sent)
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
