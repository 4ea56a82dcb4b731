import { checkOptions } from '../check-options.ts'
import { Sessions } from './sessions.ts'
import {
  resolveLimits,
  VOICE_SERVER_RULES,
  type VoiceConnection,
  type VoiceLimits,
  type VoiceRequest,
  type VoiceServerOptions,
  type VoiceSocket,
} from './voice-server-options.ts'
import { VoiceSession } from './voice-session.ts'

/**
 * Speaks with browsers over WebSockets. It knows no framework: `attachVoice` of `/node`, `voiceEvents` of `/hono` and
 * `VoiceGateway` of `/nestjs` hand it their sockets.
 */
export class VoiceServer<User = undefined, State = undefined> {
  readonly #options: VoiceServerOptions<User, State>
  readonly #limits: Required<VoiceLimits>
  readonly #sessions: Sessions<User, State>
  readonly #connections = new Set<VoiceSession<User, State>>()
  readonly #onError: (error: unknown) => void
  #isClosed = false

  /** @throws ConfigurationError naming the option */
  constructor(options: VoiceServerOptions<User, State>) {
    checkOptions('VoiceServer', options, VOICE_SERVER_RULES)
    this.#options = options
    this.#limits = resolveLimits(options.limits)
    this.#sessions = new Sessions(options.reconnectTimeout ?? 60_000, this.#limits.sessions)
    this.#onError = options.onError ?? ((error) => console.error(error))
  }

  /** Number of connections. */
  get connections(): number {
    return this.#connections.size
  }

  /** Largest frame that a socket should accept, in bytes. */
  get frameBytes(): number {
    return this.#limits.frameBytes
  }

  /** Takes an open WebSocket. Its adapter passes on what the client sends. */
  accept(socket: VoiceSocket, request: VoiceRequest): VoiceConnection {
    const session: VoiceSession<User, State> = new VoiceSession(socket, request, {
      options: this.#options,
      limits: this.#limits,
      sessions: this.#sessions,
      onError: this.#onError,
      onEnd: () => {
        this.#connections.delete(session)
      },
    })
    this.#connections.add(session)
    if (this.#isClosed) session.close('restart', 'The server is closing')
    else if (!isAllowedOrigin(request, this.#options.origins)) session.close('origin', 'This page may not connect')
    else if (this.#connections.size > this.#limits.sessions) session.close('busy', 'Too many people speak. Try later.')
    return session
  }

  /** Ends every conversation, with a code that asks clients to connect again. Resolves when the pipelines have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const connections = [...this.#connections]
    for (const session of connections) session.close('restart', 'The server is closing')
    await Promise.all(connections.map(({ done }) => done))
    this.#sessions.clear()
  }
}

/**
 * Whether the page of a request may connect. Browsers send cookies of the user with the WebSocket of any page, and name
 * the page: without this check, a foreign page could speak as the user.
 */
function isAllowedOrigin(request: VoiceRequest, origins: VoiceServerOptions['origins']): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return true
  if (typeof origins === 'function') return origins(origin, request)
  if (origins !== undefined) return origins.includes(origin)
  return URL.canParse(origin) && new URL(origin).host === request.headers.get('host')?.toLowerCase()
}
