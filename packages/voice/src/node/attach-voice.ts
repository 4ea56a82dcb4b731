import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { methods, type OptionRules } from '#options'
import { WebSocketServer } from 'ws'
import { checkOptions } from '../check-options.ts'
import type { VoiceServer } from '../server/voice-server.ts'
import { acceptSocket } from './accept-socket.ts'

/** Options of {@link attachVoice}. */
export interface AttachVoiceOptions<User, State> {
  /** The conversations. Close it before the HTTP server. */
  readonly voice: VoiceServer<User, State>
  /** Path of the WebSocket. @default '/voice' */
  readonly path?: string
}

const RULES: OptionRules = {
  voice: methods('accept'),
  path: (value) =>
    value === undefined || (typeof value === 'string' && value.startsWith('/'))
      ? undefined
      : "must be a path such as '/voice'",
}

/** A server with voice. */
export interface AttachedVoice {
  /** Takes no more connections, and ends those that are open. The HTTP server stays. */
  readonly close: () => Promise<void>
}

/**
 * Serves voice on a path of Node's HTTP server, with the package `ws`. Upgrades of other paths are left alone.
 * @throws ConfigurationError naming the option
 */
export function attachVoice<User, State>(server: Server, options: AttachVoiceOptions<User, State>): AttachedVoice {
  checkOptions('attachVoice()', options, RULES)
  const { voice, path = '/voice' } = options
  const sockets = new WebSocketServer({ noServer: true, maxPayload: voice.frameBytes, perMessageDeflate: false })
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if ((request.url ?? '/').split('?', 1)[0] !== path) return
    sockets.handleUpgrade(request, socket, head, (webSocket) => acceptSocket(voice, webSocket, request))
  }
  server.on('upgrade', onUpgrade)
  return {
    close: async () => {
      server.off('upgrade', onUpgrade)
      await voice.close()
      sockets.close()
    },
  }
}
