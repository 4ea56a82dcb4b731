import { setTimeout } from 'node:timers/promises'
import type { ServerMessage } from '@svc-audio/voice'
// @boundaries-ignore a caller of the suite has the guard of the browser client
import { EchoGuard } from '../../../voice/src/browser/echo-guard.ts'
import { levelOf, scaled } from './levels.ts'

/** Samples of a frame: 20 ms. */
const FRAME = 320
const RATE = 16_000

/** A message of the server, and when it came. */
export interface HeardMessage {
  /** Milliseconds since the call began. */
  readonly at: number
  readonly message: ServerMessage
}

/** Options of {@link Caller}. */
export interface CallerOptions {
  /** What is heard all the time beside the user: noise, other people. It is repeated. */
  readonly bed: Int16Array
  /** How much of the answer comes back into the microphone, in dB. @default nothing */
  readonly echo: number | undefined
}

/** Milliseconds from the loudspeaker to the microphone. */
const ECHO_DELAY = 80

/** A person with a page, in real time over a WebSocket: a microphone in a room, the echo guard of the page, a player. */
export class Caller {
  readonly messages: HeardMessage[] = []
  /** Seconds of answers that were played, over all turns. */
  heardSeconds = 0
  isMuted = false
  /** Sends nothing at all, as a page whose sound the browser has stopped. */
  isFrozen = false
  readonly #socket: WebSocket
  readonly #options: CallerOptions
  readonly #guard = new EchoGuard()
  readonly #start = performance.now()
  readonly #ready = Promise.withResolvers<void>()
  #said: Int16Array[] = []
  #queue: Int16Array = new Int16Array(0)
  #echo: Int16Array[] = []
  #rate = RATE
  #turn = 0
  #played = 0
  #queuedSeconds = 0
  #isPaused = false
  #isClosed = false
  #bedAt = 0

  constructor(url: string, options: CallerOptions) {
    this.#options = options
    this.#socket = new WebSocket(url)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('open', () =>
      this.#send({ type: 'start', protocol: 1, format: { sampleRate: RATE, channels: 1, bitDepth: 16 } }),
    )
    this.#socket.addEventListener('close', ({ code, reason }) => {
      this.#isClosed = true
      this.#ready.reject(new Error(`closed with ${code}: ${reason}`))
    })
    this.#socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) => {
      if (typeof data === 'string') this.#follow(JSON.parse(data) as ServerMessage)
      else this.#hear(new Int16Array(data))
    })
  }

  /** Connects, and listens to the room from then on. */
  async open(): Promise<void> {
    await this.#ready.promise
    void this.#record()
  }

  /** Milliseconds since the call began. */
  get now(): number {
    return performance.now() - this.#start
  }

  /** Whether nothing of an answer waits to be played. */
  get isSilent(): boolean {
    return this.#queue.length === 0
  }

  /** Says something. Resolves at its last sample, with its time. */
  async say(samples: Int16Array): Promise<number> {
    for (let at = 0; at < samples.length; at += FRAME) {
      const frame = new Int16Array(FRAME)
      frame.set(samples.subarray(at, at + FRAME))
      this.#said.push(frame)
    }
    await this.until(() => this.#said.length === 0, 60)
    return this.now
  }

  /** Waits until something is so. @returns Whether it came within so many seconds */
  async until(isSo: () => boolean, seconds: number): Promise<boolean> {
    const end = this.now + seconds * 1000
    while (!isSo()) {
      if (this.now > end || this.#isClosed) return false
      await setTimeout(10)
    }
    return true
  }

  /** The first message of a type after a time. */
  find<Type extends ServerMessage['type']>(
    type: Type,
    after = 0,
  ): { readonly at: number; readonly message: Extract<ServerMessage, { type: Type }> } | undefined {
    const found = this.messages.find(({ at, message }) => at >= after && message.type === type)
    return found as { at: number; message: Extract<ServerMessage, { type: Type }> } | undefined
  }

  close(): void {
    this.#isClosed = true
    this.#socket.close()
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #follow(message: ServerMessage): void {
    this.messages.push({ at: this.now, message })
    if (message.type === 'ready') this.#ready.resolve()
    else if (message.type === 'audio_format') {
      this.#rate = message.format.sampleRate
      if (message.turn !== this.#turn) this.#flush(message.turn)
    } else if (message.type === 'paused') this.#isPaused = true
    else if (message.type === 'resumed') this.#isPaused = false
    else if (message.type === 'interrupted') this.#flush(this.#turn)
  }

  #flush(turn: number): void {
    this.#turn = turn
    this.#queue = new Int16Array(0)
    this.#played = 0
    this.#queuedSeconds = 0
    this.#isPaused = false
  }

  #hear(samples: Int16Array): void {
    this.#queuedSeconds += samples.length / this.#rate
    const fresh = new Int16Array(Math.floor((samples.length * RATE) / this.#rate))
    for (let index = 0; index < fresh.length; index += 1)
      fresh[index] = samples[Math.floor((index * this.#rate) / RATE)] ?? 0
    this.#guard.expect(10 ** (Math.max(...framesOf(fresh).map((frame) => levelOf(frame))) / 20))
    const queue = new Int16Array(this.#queue.length + fresh.length)
    queue.set(this.#queue)
    queue.set(fresh, this.#queue.length)
    this.#queue = queue
  }

  /** Records the room, frame by frame, and plays beside it. */
  async #record(): Promise<void> {
    const start = performance.now()
    for (let frame = 1; !this.#isClosed; frame += 1) {
      const played = this.#play()
      const samples = this.#microphone(played)
      if (!this.isFrozen && this.#socket.readyState === WebSocket.OPEN) {
        const passes = this.#guard.push(10 ** (levelOf(samples) / 20), 10 ** (levelOf(played) / 20))
        this.#socket.send(passes && !this.isMuted ? new Uint8Array(samples.buffer) : new Uint8Array(FRAME * 2))
      }
      await setTimeout(Math.max(0, start + frame * 20 - performance.now()))
    }
  }

  #play(): Int16Array {
    const out = new Int16Array(FRAME)
    if (this.#isPaused || this.#queue.length === 0) return out
    out.set(this.#queue.subarray(0, FRAME))
    this.#queue = this.#queue.slice(FRAME)
    const isEnd = this.#queue.length === 0
    this.heardSeconds += FRAME / RATE
    this.#played = isEnd ? this.#queuedSeconds : Math.min(this.#queuedSeconds, this.#played + FRAME / RATE)
    this.#send({ type: 'played', turn: this.#turn, seconds: this.#played })
    return out
  }

  #microphone(played: Int16Array): Int16Array {
    this.#echo.push(played)
    const late = this.#echo.length > ECHO_DELAY / 20 ? this.#echo.shift() : undefined
    const { bed, echo } = this.#options
    const back = late === undefined || echo === undefined ? undefined : scaled(late, echo)
    const said = this.#said.shift()
    const frame = new Int16Array(FRAME)
    for (let index = 0; index < FRAME; index += 1) {
      const sample = (bed[(this.#bedAt + index) % bed.length] ?? 0) + (said?.[index] ?? 0) + (back?.[index] ?? 0)
      frame[index] = Math.max(-0x80_00, Math.min(0x7f_ff, sample))
    }
    this.#bedAt += FRAME
    return frame
  }
}

function framesOf(samples: Int16Array): Int16Array[] {
  const frames: Int16Array[] = []
  for (let at = 0; at < samples.length; at += FRAME) frames.push(samples.subarray(at, at + FRAME))
  return frames.length === 0 ? [samples] : frames
}
