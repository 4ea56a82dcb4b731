import type { VoiceServer } from '../server/voice-server.ts'
import type { VoiceConnection } from '../server/voice-server-options.ts'

/** The part of Hono's context that is used. */
export interface VoiceContext {
  /** The request. */
  readonly req: {
    /** The request as the runtime has it. */
    readonly raw: {
      /** Whole address, with its query. */
      readonly url: string
      /** Headers of the upgrade. */
      readonly headers: Headers
    }
  }
}

/** The part of Hono's `WSContext` that is used. */
export interface VoiceHonoSocket {
  /** Socket of the runtime. Its `bufferedAmount`, if it has one, tells how far the client lies behind. */
  readonly raw?: unknown
  /** Sends a text or a binary frame. */
  send(data: string | Uint8Array<ArrayBuffer>): void
  /** Closes the connection with a code and a reason. */
  close(code?: number, reason?: string): void
}

/** Events of Hono's WebSocket. */
export interface VoiceEvents {
  /** The connection is open: the session begins. */
  onOpen(event: unknown, socket: VoiceHonoSocket): void
  /** A frame has arrived: a text of the protocol, or PCM of the microphone. */
  onMessage(event: { readonly data: unknown }): void
  /** The connection has ended. The session waits `reconnectTimeout` for its client. */
  onClose(): void
  /** The connection is broken, which ends it. */
  onError(): void
}

/**
 * Serves voice in Hono: `app.get('/voice', upgradeWebSocket(voiceEvents(voice)))`, with `upgradeWebSocket` of the
 * runtime.
 */
export function voiceEvents<User, State>(voice: VoiceServer<User, State>): (context: VoiceContext) => VoiceEvents {
  return ({ req: { raw } }) => {
    const { pathname, search } = new URL(raw.url)
    const request = { url: pathname + search, headers: raw.headers }
    let connection: VoiceConnection | undefined
    return {
      onOpen(_event, socket) {
        connection = voice.accept(
          {
            get bufferedAmount() {
              return bufferedAmount(socket.raw)
            },
            // Hono's types want memory that no other thread has.
            send: (data) => socket.send(typeof data === 'string' ? data : new Uint8Array(data)),
            close: (code, reason) => socket.close(code, reason),
          },
          request,
        )
      },
      onMessage({ data }) {
        if (typeof data === 'string') connection?.receive(data)
        else if (data instanceof ArrayBuffer) connection?.receive(new Uint8Array(data))
        else if (data instanceof Uint8Array) connection?.receive(data)
      },
      onClose: () => connection?.closed(),
      onError: () => connection?.closed(),
    }
  }
}

/** The socket of the runtime: most have this property. */
function bufferedAmount(raw: unknown): number {
  const bytes: unknown = typeof raw === 'object' && raw !== null ? Reflect.get(raw, 'bufferedAmount') : undefined
  return typeof bytes === 'number' ? bytes : 0
}
