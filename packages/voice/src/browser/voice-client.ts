import type { PcmFormat } from '@svc-audio/core/audio'
import type { ServerMessage, WireEvent } from '../protocol/messages.ts'
import { MICROPHONE_RATE, type MicrophoneFrame, type PlayerReport } from '../worklet/messages.ts'
import { Connection, type VoiceEnd } from './connection.ts'
import { EchoGuard } from './echo-guard.ts'
import { openVoiceAudio, type VoiceAudio } from './voice-audio.ts'
import { checkVoiceClientOptions, type VoiceClientOptions, type VoiceStatus } from './voice-client-options.ts'

/** Code of {@link VoiceEnd} when the microphone is gone. */
const MICROPHONE_ENDED = 4000

/** A conversation with a voice agent: sends the microphone, plays the answers. */
export class VoiceClient {
  readonly #options: VoiceClientOptions
  readonly #guard = new EchoGuard()
  #status: VoiceStatus = 'closed'
  #audio: VoiceAudio | undefined
  #connection: Connection | undefined
  #format: PcmFormat | undefined
  #report: PlayerReport = { turn: 0, played: 0, queued: 0, pieces: 0, starved: 0, level: 0 }
  /** Pieces of audio that went to the player in this turn. */
  #pieces = 0
  #sentPlayed = -1
  #isMuted = false
  /** Counts the calls of `start()` and `stop()`: a start that was stopped opens nothing. */
  #run = 0

  /** @throws TypeError naming the option */
  constructor(options: VoiceClientOptions = {}) {
    checkVoiceClientOptions(options)
    this.#options = options
  }

  /** State of the connection. */
  get status(): VoiceStatus {
    return this.#status
  }

  /** Seconds of the current answer that were played. */
  get playedSeconds(): number {
    return this.#report.played
  }

  /** Whether the microphone sends nothing. */
  get muted(): boolean {
    return this.#isMuted
  }

  set muted(muted: boolean) {
    this.#isMuted = muted
  }

  /**
   * Opens microphone and connection. Call it in a click or a key press. A `stop()` before they are open ends it.
   * @throws DOMException `NotAllowedError` when the user gives no microphone, `NotFoundError` when there is none
   */
  async start(): Promise<void> {
    if (this.#status !== 'closed') throw new Error('The voice client is started already: call stop() first')
    const url = webSocketUrl(this.#options.url ?? '/voice')
    const run = (this.#run += 1)
    this.#setStatus('connecting')
    let audio: VoiceAudio
    try {
      audio = await openVoiceAudio({
        microphone: this.#options.microphone ?? {},
        worklet: this.#options.worklet,
        onFrame: (frame) => this.#send(frame),
        onReport: (report) => this.#onReport(report),
        onMicrophoneEnd: () => this.#end({ code: MICROPHONE_ENDED, reason: 'The microphone is gone' }),
      })
    } catch (error) {
      if (run === this.#run) this.#setStatus('closed')
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
      maxReconnects: this.#options.maxReconnects ?? 10,
      onReady: () => this.#onReady(),
      onMessage: (message) => this.#receive(message),
      onAudio: (pcm) => this.#play(pcm),
      onLost: () => this.#setStatus('reconnecting'),
      onEnd: (end) => this.#end(end),
    })
  }

  /** Ends the conversation, and frees the microphone. */
  async stop(): Promise<void> {
    this.#run += 1
    const audio = this.#audio
    this.#connection?.close()
    this.#connection = undefined
    this.#audio = undefined
    this.#setStatus('closed')
    await audio?.close()
  }

  #end(end: VoiceEnd): void {
    if (this.#status === 'closed') return
    void this.stop()
    this.#options.onEnd?.(end)
  }

  #onReady(): void {
    // Turns of a new connection count from 0.
    this.#flush(0)
    this.#setStatus('listening')
  }

  #send({ pcm, level }: MicrophoneFrame): void {
    this.#options.onLevels?.({ microphone: level, speaker: this.#report.level })
    if (this.#isMuted) return
    const passes = this.#passes(level)
    // Silence keeps the time of what passes.
    this.#connection?.sendAudio(passes ? pcm : new ArrayBuffer(pcm.byteLength))
  }

  #passes(level: number): boolean {
    const { echoGuard = 'adaptive' } = this.#options
    if (echoGuard === 'off') return true
    if (echoGuard === 'half-duplex') return this.#status !== 'speaking'
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
    if (type === 'stt_output') this.#setStatus('thinking')
    else if (type === 'paused') this.#pause()
    else if (type === 'resumed') this.#resume()
    else if (type === 'interrupted') this.#flush(this.#report.turn)
    else if (type === 'turn_end' && !this.#isPlaying) this.#setStatus('listening')
  }

  #pause(): void {
    this.#audio?.play({ type: 'pause' })
    this.#setStatus('paused')
  }

  #resume(): void {
    this.#audio?.play({ type: 'resume' })
    this.#setStatus('speaking')
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
    this.#audio?.play({ type: 'audio', pcm, sampleRate, channels })
    this.#pieces += 1
    if (this.#status !== 'paused') this.#setStatus('speaking')
  }

  #onReport(report: PlayerReport): void {
    if (report.turn !== this.#report.turn) return
    this.#report = report
    if (report.played !== this.#sentPlayed) {
      this.#sentPlayed = report.played
      this.#connection?.send({ type: 'played', turn: report.turn, seconds: report.played })
    }
    if (!this.#isPlaying && report.played > 0 && this.#status === 'speaking') this.#setStatus('listening')
  }

  /** Whether audio waits, in the player or on its way there: a report may be older than the last piece. */
  get #isPlaying(): boolean {
    return this.#report.queued > 0 || this.#report.pieces < this.#pieces
  }

  #setStatus(status: VoiceStatus): void {
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
