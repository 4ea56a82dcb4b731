import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { AudioClient, type AudioClientOptions } from '@svc-audio/core'

/** Makes the client of a module, and closes it. A client that a test puts in its place is the test's to close. */
@Injectable()
export class ClientLifecycle implements OnApplicationShutdown {
  #client: AudioClient | undefined

  open(options: AudioClientOptions): AudioClient {
    this.#client = new AudioClient(options)
    return this.#client
  }

  /** Nest calls this when the server has answered its last request; `onModuleDestroy` would be too early. */
  async onApplicationShutdown(): Promise<void> {
    await this.#client?.close()
  }
}
