import type { IncomingMessage } from 'node:http'
import { acceptSocket, type NodeWebSocket } from '../node/accept-socket.ts'
import { VoiceServer } from '../server/voice-server.ts'
import type { VoiceServerOptions } from '../server/voice-server-options.ts'

/**
 * Base class of a Nest gateway with voice. It needs `WsAdapter` of `@nestjs/platform-ws`.
 *
 * @example
 * @WebSocketGateway({ path: '/voice' })
 * class Assistant extends VoiceGateway {
 *   constructor(client: AudioClient) {
 *     super(voiceAgent({ client, agent, voice_id: 'rms' }))
 *   }
 * }
 */
export abstract class VoiceGateway<User = undefined, State = undefined> {
  /** The server behind the gateway. */
  readonly voice: VoiceServer<User, State>

  /** @throws ConfigurationError naming the option */
  constructor(options: VoiceServerOptions<User, State>) {
    this.voice = new VoiceServer(options)
  }

  /** Nest calls it for each open socket. */
  handleConnection(socket: NodeWebSocket, request: IncomingMessage): void {
    acceptSocket(this.voice, socket, request)
  }

  /** Nest calls it when the application closes, with `enableShutdownHooks` also at a signal. */
  async onModuleDestroy(): Promise<void> {
    await this.voice.close()
  }
}
