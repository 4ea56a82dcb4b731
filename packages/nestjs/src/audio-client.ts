import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type InjectionToken,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common'
import { AudioClient, type AudioClientOptions, ConfigurationError, ConnectionError } from '@svc-audio/core'
import { type Shutdown, SHUTDOWN } from './shutdown.ts'

/**
 * Returns the token of a client, for `@Inject()`, `moduleRef.get()` and `overrideProvider()`. Without a name it is the class
 * `AudioClient`, so Nest injects this client by its type.
 *
 * @param name As given to `AudioModule.forRoot({ name })`.
 * @throws ConfigurationError for an empty name, as an unset variable makes it
 */
export function getAudioClientToken(name?: string): InjectionToken<AudioClient> {
  if (name === '') throw new ConfigurationError('`name` must not be empty: omit it for the client without a name')
  return name === undefined ? AudioClient : `svc-audio.client:${name}`
}

/**
 * A second token of the same client, equal in every copy of this package. A process may hold two: one loaded by `import`,
 * one by `require()`. Their `AudioClient` classes differ.
 */
export function sharedClientToken(name?: string): InjectionToken<AudioClient> {
  return name === undefined ? Symbol.for('svc-audio.client') : getAudioClientToken(name)
}

/** The token of the upload defaults that belong to a client. */
export function uploadDefaultsToken(name?: string): InjectionToken<object> {
  return name === undefined ? Symbol.for('svc-audio.uploads') : `svc-audio.uploads:${name}`
}

/**
 * Injects a client.
 *
 * @param name As given to `AudioModule.forRoot({ name })`. @default the client without a name
 *
 * @example
 * constructor(@InjectAudioClient() private readonly audio: AudioClient) {}
 */
export function InjectAudioClient(name?: string): ParameterDecorator & PropertyDecorator {
  getAudioClientToken(name)
  return Inject(sharedClientToken(name))
}

/**
 * The error of a module without a client.
 * @param remedy What to do with the import of the client. @default for what a module of the app declares
 */
export function missingClient(
  needing: string,
  name: string | undefined,
  remedy = (call: string): string => `Import ${call} into the same module, or set isGlobal.`,
): ConfigurationError {
  const which = name === undefined ? 'the AudioClient' : `the AudioClient named ${JSON.stringify(name)}`
  const call = name === undefined ? 'AudioModule.forRoot()' : `AudioModule.forRoot({ name: ${JSON.stringify(name)} })`
  return new ConfigurationError(`${needing} cannot find ${which}. Was AudioModule imported? ${remedy(call)}`)
}

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
