import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common'
import { AudioClient, type AudioClientOptions, ConnectionError } from '@svc-audio/core'
import { SHUTDOWN, type Shutdown } from './shutdown.ts'

/** Below the 30 s that Kubernetes gives a process after SIGTERM. */
const SHUTDOWN_TIMEOUT = 25_000

/** Creates the client of a module and closes it. It does not close a client that overrides it in a test. */
@Injectable()
export class ClientLifecycle implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #shutdown: Shutdown
  #client: AudioClient | undefined
  #timeout = SHUTDOWN_TIMEOUT

  constructor(@Inject(SHUTDOWN) shutdown: Shutdown) {
    this.#shutdown = shutdown
  }

  open(options: AudioClientOptions, shutdownTimeout: number = SHUTDOWN_TIMEOUT): AudioClient {
    this.#client = new AudioClient(options)
    this.#timeout = shutdownTimeout
    return this.#client
  }

  /** The first step of Nest's shutdown: refuses new uploads, and limits the time of the requests in flight. */
  onModuleDestroy(): void {
    // Speech in flight ends with its connection.
    this.#shutdown.begin(this.#timeout, () => void this.#client?.close())
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
