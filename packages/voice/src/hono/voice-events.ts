import type { VoiceServer } from '../server/voice-server.ts'
import type { VoiceConnection } from '../server/voice-socket.ts'

/** The part of Hono's context that is used. */
export interface VoiceContext {
  readonly req: { readonly raw: { readonly url: string; readonly headers: Headers } }
}

/** The part of Hono's `WSContext` that is used. */
export interface VoiceHonoSocket {
  readonly raw?: unknown
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
}

/** Events of Hono's WebSocket. */
export interface VoiceEvents {
  onOpen(event: unknown, socket: VoiceHonoSocket): void
  onMessage(event: { readonly data: unknown }): void
  onClose(): void
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
