import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { serverUrl } from '@svc-audio/testing'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import {
  type ServerMessage,
  VOICE_PROTOCOL,
  type VoiceCall,
  type VoiceEvent,
  VoiceServer,
  type VoiceServerOptions,
} from '../../src/index.ts'
import { attachVoice } from '../../src/node/index.ts'

/** Format of the microphone in tests. */
export const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** A tenth of a second of it. */
export const AUDIO: Uint8Array = new Uint8Array(3200).fill(7)

/** A client of the protocol. */
export interface Talker {
  readonly socket: WebSocket
  readonly messages: readonly ServerMessage[]
  readonly audio: readonly Uint8Array[]
  /** Sends `start`, and waits for `ready`. */
  start(options?: { readonly token?: string; readonly session?: string }): Promise<Ready>
  /** Waits for a message. */
  next<Type extends ServerMessage['type']>(type: Type): Promise<Extract<ServerMessage, { type: Type }>>
  /** Waits for the end. */
  readonly closed: () => Promise<{ readonly code: number; readonly reason: string }>
}

type Ready = Extract<ServerMessage, { type: 'ready' }>

/** Connects to a server with voice. */
export async function talk(url: string, headers: Record<string, string> = {}): Promise<Talker> {
  const socket = new WebSocket(url, { headers })
  const messages: ServerMessage[] = []
  const audio: Uint8Array[] = []
  const waiting = new Set<() => void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number; reason: string }>()
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) audio.push(data)
    else messages.push(JSON.parse(data.toString()) as ServerMessage)
    for (const wake of waiting) wake()
  })
  socket.on('close', (code, reason) => end({ code, reason: reason.toString() }))
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const next: Talker['next'] = async <Type extends ServerMessage['type']>(type: Type) => {
    for (;;) {
      const found = messages.find((message) => message.type === type)
      if (found !== undefined) return found as Extract<ServerMessage, { type: Type }>
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      await promise
      waiting.delete(resolve)
    }
  }
  return {
    socket,
    messages,
    audio,
    next,
    closed: () => ended,
    start(options = {}) {
      socket.send(JSON.stringify({ type: 'start', protocol: VOICE_PROTOCOL, format: FORMAT, ...options }))
      return next('ready')
    },
  }
}

/** A server with voice on a free port, which ends with its test. */
export async function serveVoice<User = undefined, State = undefined>(
  options: VoiceServerOptions<User, State>,
): Promise<{ readonly url: string; readonly voice: VoiceServer<User, State>; readonly server: Server }> {
  const voice = new VoiceServer<User, State>({ onError: () => {}, ...options })
  const server = createServer()
  const attached = attachVoice(server, { voice })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await attached.close()
    server.closeAllConnections()
    server.close()
  })
  return { url: `${serverUrl(server, 'ws')}/voice`, voice, server }
}

/** Reads the microphone to its end, and yields nothing. */
export async function* listen({ microphone }: VoiceCall<unknown, unknown>): AsyncGenerator<VoiceEvent> {
  for await (const piece of microphone) void piece
  yield* []
}
