import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { AudioClient, type AudioClientOptions, ConnectionError } from '@svc-audio/core'

/** Creates the client of a module and closes it. It does not close a client that overrides it in a test. */
@Injectable()
export class ClientLifecycle implements BeforeApplicationShutdown, OnApplicationShutdown {
  #client: AudioClient | undefined

  open(options: AudioClientOptions): AudioClient {
    this.#client = new AudioClient(options)
    return this.#client
  }

  /**
   * Ends every wait for a task before the server waits for its requests, because a wait may last for hours. The tasks
   * continue, and the next process can wait for them by their ids.
   */
  beforeApplicationShutdown(): void {
    this.#client?.tasks.endWaits(new ConnectionError('The application shuts down; the task goes on'))
  }

  /** Nest calls this after the server has answered its last request. `onModuleDestroy` would be too early. */
  async onApplicationShutdown(): Promise<void> {
    await this.#client?.close()
  }
}
