import { type PcmFormat, pcmSeconds } from '@svc-audio/core/audio'
import type { VoiceEvent } from '../events.ts'
import {
  type ClientMessage,
  readClientMessage,
  type ServerMessage,
  VOICE_CLOSE,
  VOICE_PROTOCOL,
  wireEvent,
} from '../protocol/messages.ts'
import { Microphone } from './microphone.ts'
import type { Sessions, StoredSession } from './sessions.ts'
import { VoiceControl } from './voice-control.ts'
import type {
  VoiceConnection,
  VoiceLimits,
  VoiceRequest,
  VoiceServerOptions,
  VoiceSettings,
  VoiceSocket,
} from './voice-server-options.ts'

/** What a connection needs of its server. */
export interface SessionHost<User, State> {
  readonly options: VoiceServerOptions<User, State>
  readonly limits: Required<VoiceLimits>
  readonly sessions: Sessions<User, State>
  readonly onError: (error: unknown) => void
  /** The connection has ended. */
  readonly onEnd: () => void
}

/** Longest text of a client, in characters: `start` with its token. */
const MAX_TEXT = 16_384

/** One connection: reads the protocol, and runs the pipeline while the client is there. */
export class VoiceSession<User, State> implements VoiceConnection {
  /** Resolves when the pipeline has ended. */
  done: Promise<void> = Promise.resolve()
  readonly #socket: VoiceSocket
  readonly #request: VoiceRequest
  readonly #host: SessionHost<User, State>
  readonly #controller = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #idle: NodeJS.Timeout
  #state: 'new' | 'starting' | 'open' | 'closed' = 'new'
  #session: StoredSession<User, State> | undefined
  #microphone: Microphone | undefined
  #format: PcmFormat | undefined
  #startedAt = 0
  #spokenSeconds = 0
  #turn = 0
  #playedSeconds = 0
  #audioFormat: PcmFormat | undefined
  #settings: VoiceSettings = {}
  readonly #control = new VoiceControl()
  readonly #replace = (): void => this.close('replaced', 'Another connection continues this session')

  constructor(socket: VoiceSocket, request: VoiceRequest, host: SessionHost<User, State>) {
    this.#socket = socket
    this.#request = request
    this.#host = host
    const { startTimeout, idleTimeout, sessionTimeout } = host.limits
    this.#idle = this.#after(idleTimeout, () => this.close('idle', `Nothing came for ${idleTimeout} ms`))
    this.#after(sessionTimeout, () => this.close('tooLong', `A session takes ${sessionTimeout} ms at most`))
    this.#after(startTimeout, () => {
      if (this.#state !== 'open') this.close('idle', `The session did not start within ${startTimeout} ms`)
    })
  }

  receive(data: string | Uint8Array): void {
    if (this.#state === 'closed') return
    this.#idle.refresh()
    if (typeof data === 'string') this.#receiveText(data)
    else this.#receiveAudio(data)
  }

  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    for (const timer of this.#timers) clearTimeout(timer)
    this.#controller.abort(new Error('The voice connection is closed'))
    this.#microphone?.end()
    this.#control.end()
    if (this.#session !== undefined) this.#host.sessions.disconnect(this.#session, this.#replace, this.#isOver)
    this.#host.onEnd()
  }

  #isOver = false

  /** Closes the connection, unless it is closed. */
  close(code: keyof typeof VOICE_CLOSE, reason: string): void {
    if (this.#state === 'closed') return
    this.#isOver = code === 'ended'
    this.closed()
    this.#socket.close(VOICE_CLOSE[code], reason)
  }

  #receiveText(text: string): void {
    if (text.length > MAX_TEXT) {
      this.close('tooLarge', `A text has ${MAX_TEXT} characters at most`)
      return
    }
    const message = readClientMessage(text)
    if (typeof message === 'string') this.close('protocol', message)
    else if (message.type === 'start') {
      if (this.#state === 'new') this.done = this.#start(message)
      else this.close('protocol', '`start` comes once')
    } else if (message.type === 'settings') {
      this.#choose(message)
    } else if (message.type === 'played' && message.turn === this.#turn) {
      this.#playedSeconds = Math.max(this.#playedSeconds, message.seconds)
    }
  }

  #choose({ locale, voice }: VoiceSettings): void {
    this.#settings = {
      ...this.#settings,
      ...(locale === undefined ? {} : { locale }),
      ...(voice === undefined ? {} : { voice }),
    }
  }

  #receiveAudio(audio: Uint8Array): void {
    const { frameBytes, aheadSeconds } = this.#host.limits
    if (audio.byteLength > frameBytes) {
      this.close('tooLarge', `A frame has ${frameBytes} bytes at most`)
      return
    }
    if (this.#microphone === undefined || this.#format === undefined) {
      this.close('protocol', 'Audio comes after `ready`')
      return
    }
    this.#spokenSeconds += pcmSeconds(this.#format, audio.byteLength)
    const ahead = this.#spokenSeconds - (performance.now() - this.#startedAt) / 1000
    if (ahead > aheadSeconds) this.close('tooFast', 'Audio comes faster than it can be spoken')
    else if (!this.#microphone.push(audio)) this.close('tooFast', 'Audio comes faster than it is read')
  }

  async #start(start: Extract<ClientMessage, { readonly type: 'start' }>): Promise<void> {
    this.#state = 'starting'
    this.#choose(start)
    const { authenticate, createState } = this.#host.options
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `authenticate`, User is undefined
      let user = undefined as User | undefined
      if (authenticate !== undefined) {
        user = await authenticate(this.#request, start.token, this.#controller.signal)
        this.#controller.signal.throwIfAborted()
        if (user === undefined) {
          this.close('unauthorized', 'The user is not allowed to speak here')
          return
        }
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined only where User is undefined
      const known = user as User
      const earlier = this.#findEarlier(start.session, known)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `createState`, State is undefined
      const state = earlier === undefined ? (createState?.(known) as State) : earlier.state
      const session = earlier ?? this.#host.sessions.create(known, state)
      await this.#converse(session, start.format, earlier !== undefined)
    } catch (error) {
      // The end of a connection is no fault.
      if (this.#controller.signal.aborted) return
      this.#host.onError(error)
      this.close('failed', 'The conversation failed. Connect again.')
    }
  }

  #findEarlier(id: string | undefined, user: User): StoredSession<User, State> | undefined {
    const earlier = this.#host.sessions.find(id)
    const { isSameUser = (one, other) => JSON.stringify(one) === JSON.stringify(other) } = this.#host.options
    return earlier !== undefined && isSameUser(earlier.user, user) ? earlier : undefined
  }

  async #converse(session: StoredSession<User, State>, format: PcmFormat, resumed: boolean): Promise<void> {
    this.#session = session
    this.#host.sessions.connect(session, this.#replace)
    const { aheadSeconds } = this.#host.limits
    const microphone = new Microphone(format, 2 * aheadSeconds)
    this.#microphone = microphone
    this.#format = format
    this.#startedAt = performance.now()
    this.#state = 'open'
    this.#send({ type: 'ready', protocol: VOICE_PROTOCOL, session: session.id, resumed })
    const events = this.#host.options.converse({
      microphone,
      format,
      playedSeconds: () => this.#playedSeconds,
      settings: () => this.#settings,
      control: this.#control,
      resumed,
      signal: this.#controller.signal,
      user: session.user,
      state: session.state,
      request: this.#request,
    })
    for await (const event of events) {
      if (this.#controller.signal.aborted) return
      this.#tell(event)
    }
    this.close('ended', 'The conversation is over')
  }

  #tell(event: VoiceEvent): void {
    if (event.type === 'tts_chunk') {
      this.#sendAudio(event.audio, event.format)
      return
    }
    if (event.type === 'stt_output' || event.type === 'agent_turn') {
      this.#turn += 1
      this.#playedSeconds = 0
      this.#audioFormat = undefined
    }
    if (event.type === 'error') this.#host.onError(event.error)
    const { visible = (shown) => shown } = this.#host.options
    const told = wireEvent(event)
    const shown = told === undefined ? undefined : visible(told)
    if (shown !== undefined) this.#send(shown)
  }

  #sendAudio(audio: Uint8Array, format: PcmFormat): void {
    const last = this.#audioFormat
    const isSame = last?.sampleRate === format.sampleRate && last.channels === format.channels
    if (!isSame || last.bitDepth !== format.bitDepth) {
      this.#audioFormat = format
      this.#send({ type: 'audio_format', turn: this.#turn, format })
    }
    this.#socket.send(audio)
    this.#checkBuffer()
  }

  #send(message: ServerMessage): void {
    if (this.#state === 'closed') return
    this.#socket.send(JSON.stringify(message))
    this.#checkBuffer()
  }

  #checkBuffer(): void {
    if (this.#socket.bufferedAmount > this.#host.limits.bufferedBytes)
      this.close('tooSlow', 'The client does not read what it is sent')
  }

  #after(milliseconds: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(work, milliseconds)
    this.#timers.push(timer)
    return timer
  }
}
