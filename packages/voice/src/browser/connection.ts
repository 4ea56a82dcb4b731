import type { ClientMessage, ServerMessage } from '../protocol/messages.ts'

/** Must be those of `protocol/messages.ts`. Copied, so that a page loads only this folder. */
const PROTOCOL = 1

/** Code of {@link VoiceEnd} when the server does not speak the protocol. */
const PROTOCOL_ERROR = 4400

/** Codes after which a new connection may work: none, going away, and the server's own. */
const TRANSIENT: ReadonlySet<number> = new Set([1001, 1005, 1006, 1011, 1012, 1013, 4408, 4430, 4500])

/** Milliseconds before the first attempt, and the longest wait. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 8000
/** Milliseconds between signs of life while the microphone sends nothing. */
const ALIVE_INTERVAL = 10_000
/** Seconds of audio that may wait to be sent. Later words are of no use. */
const MAX_WAITING_BYTES = 2 * 16_000 * 2

/** Why a connection ended for good. */
export interface VoiceEnd {
  /** Code of the WebSocket: `VOICE_CLOSE` names those of the server. */
  readonly code: number
  /** What the server or the browser says about it, for logs. May be empty. */
  readonly reason: string
}

/** Options of {@link Connection}. */
export interface ConnectionOptions {
  readonly url: string
  readonly token: (() => string | Promise<string>) | undefined
  readonly sampleRate: number
  /** Session of an earlier connection, to continue it. */
  readonly session: string | undefined
  /** What the user has chosen, as `start` tells it. */
  readonly settings: () => { readonly locale?: string; readonly voice?: string }
  /** Attempts in a row before it ends. */
  readonly maxReconnects: number
  readonly onReady: (resumed: boolean) => void
  readonly onMessage: (message: ServerMessage) => void
  readonly onAudio: (pcm: ArrayBuffer) => void
  /** The connection is lost, and another attempt follows. */
  readonly onLost: () => void
  readonly onEnd: (end: VoiceEnd) => void
}

/** A WebSocket that reconnects, and continues its session. */
export class Connection {
  readonly #options: ConnectionOptions
  #socket: WebSocket | undefined
  #session: string | undefined
  #isReady = false
  #isClosed = false
  #attempts = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #alive: ReturnType<typeof setInterval>

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#session = options.session
    this.#alive = setInterval(() => this.send({ type: 'alive' }), ALIVE_INTERVAL)
    globalThis.addEventListener?.('online', this.#onOnline)
    void this.#open()
  }

  /** Secret name of the session. */
  get session(): string | undefined {
    return this.#session
  }

  /** Sends a message, unless there is no connection. */
  send(message: ClientMessage): void {
    if (this.#isReady) this.#socket?.send(JSON.stringify(message))
  }

  /** Sends audio, unless there is no connection or too much waits. @returns Whether it was sent */
  sendAudio(pcm: ArrayBuffer): boolean {
    if (!this.#isReady || this.#socket === undefined || this.#socket.bufferedAmount > MAX_WAITING_BYTES) return false
    this.#socket.send(pcm)
    return true
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isReady = false
    clearInterval(this.#alive)
    clearTimeout(this.#timer)
    globalThis.removeEventListener?.('online', this.#onOnline)
    this.#socket?.close(1000)
  }

  async #open(): Promise<void> {
    const { url, token } = this.#options
    let given: string | undefined
    try {
      given = await token?.()
    } catch (error) {
      this.#end({ code: 4401, reason: `The token could not be had: ${String(error)}` })
      return
    }
    if (this.#isClosed) return
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    socket.addEventListener('open', () => {
      const start: ClientMessage = {
        type: 'start',
        protocol: PROTOCOL,
        format: { sampleRate: this.#options.sampleRate, channels: 1, bitDepth: 16 },
        ...this.#options.settings(),
        ...(given === undefined ? {} : { token: given }),
        ...(this.#session === undefined ? {} : { session: this.#session }),
      }
      socket.send(JSON.stringify(start))
    })
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      // Frames may still come while a connection closes.
      if (!this.#isClosed) this.#receive(data)
    })
    socket.addEventListener('close', ({ code, reason }) => this.#lost({ code, reason }))
  }

  #receive(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this.#options.onAudio(data)
      return
    }
    const message = readMessage(data)
    if (message === undefined) {
      this.#end({ code: PROTOCOL_ERROR, reason: 'The server sent a text that the protocol does not have' })
    } else if (message.type === 'ready') {
      this.#session = message.session
      this.#isReady = true
      this.#attempts = 0
      this.#options.onReady(message.resumed)
    } else {
      this.#options.onMessage(message)
    }
  }

  #lost(end: VoiceEnd): void {
    this.#isReady = false
    if (this.#isClosed) return
    if (!TRANSIENT.has(end.code) || this.#attempts >= this.#options.maxReconnects) {
      this.#end(end)
      return
    }
    this.#options.onLost()
    const wait = Math.min(FIRST_WAIT * 2 ** this.#attempts, LONGEST_WAIT)
    this.#attempts += 1
    // Many clients of a server that restarts do not come back in the same moment.
    this.#timer = setTimeout(() => this.#retry(), wait * (0.5 + Math.random() / 2))
  }

  #retry(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    void this.#open()
  }

  /** The network is back: the wait for the next attempt ends. */
  readonly #onOnline = (): void => {
    if (this.#timer !== undefined) this.#retry()
  }

  #end(end: VoiceEnd): void {
    if (this.#isClosed) return
    this.close()
    this.#options.onEnd(end)
  }
}

/** @returns `undefined` for what is no message */
function readMessage(text: string): ServerMessage | undefined {
  try {
    const message: unknown = JSON.parse(text)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server is of the same version
    return typeof message === 'object' && message !== null && 'type' in message ? (message as ServerMessage) : undefined
  } catch {
    return undefined
  }
}
