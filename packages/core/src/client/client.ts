import { httpUrl } from '../checks/index.ts'
import { ConfigurationError, ConnectionError } from '../errors.ts'
import {
  type ClientContext,
  DialogueResource,
  download,
  type Downloadable,
  FilesResource,
  ModelsResource,
  SpeechResource,
  TasksResource,
  TranscriptionsResource,
  VoiceGenerationsResource,
  VoicesResource,
} from '../resources/index.ts'
import type { AudioBody } from '../streaming/index.ts'
import { Api, type Call, type CallOptions } from '../transport/index.ts'
import type { DerivedClientOptions, PureAudioClientOptions } from './options.ts'

/**
 * A client without resources and without a platform. A bundle contains only the resources that your class adds.
 *
 * @example
 * class Speaker extends BaseClient {
 *   readonly speech: SpeechResource = this.add(SpeechResource)
 * }
 */
export class BaseClient {
  /** Address of the service, without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  readonly #context: ClientContext
  readonly #options: PureAudioClientOptions

  /**
   * @param parent The client to derive from. Both share the connections, the semaphore and the scheduler of waits.
   * @throws ConfigurationError naming the option
   */
  constructor(options: PureAudioClientOptions, parent?: BaseClient) {
    const { allowPrivateUrls = false, checkOptions, files, maxUploadBytes, nameUpload } = options
    const { idleEventsTimeout = 300_000, maxRetries = 2, random = Math.random } = options
    checkOptions?.(options, 'client')
    this.#options = options
    const baseUrl = normalizeBaseUrl(options.baseUrl)
    this.baseUrl = baseUrl
    this.#context = {
      api: new Api({ ...options, baseUrl, maxRetries, idleEventsTimeout, random }),
      check: (endpoint, body, outcome) => options.checkRequest?.(endpoint, body, outcome, { allowPrivateUrls }),
      // Not all of the options: a log of the client must not show the key.
      uploads: { files, maxUploadBytes, nameUpload },
      checkOptions,
      random,
      parent: parent?.context,
    }
  }

  /** Shared by the resources. */
  protected get context(): ClientContext {
    return this.#context
  }

  /** Ends every wait and closes every connection. Calls in flight fail. A derived client ends only its own waits. */
  async close(): Promise<void> {
    const { waiter, api, parent } = this.context
    waiter?.close(new ConnectionError('The client was closed'))
    if (parent === undefined) await api.close()
  }

  /** As {@link BaseClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Creates a resource of this client. */
  protected add<Added>(Resource: new (context: ClientContext) => Added): Added {
    return new Resource(this.context)
  }

  /**
   * The arguments of the constructor for a client that is derived from this one. `undefined` changes nothing.
   * @throws ConfigurationError naming the option
   */
  protected derive(changes: DerivedClientOptions): [options: PureAudioClientOptions, parent: BaseClient] {
    this.#options.checkOptions?.(changes, 'client')
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    const headers = { ...lowerCase(this.#options.headers), ...lowerCase(changes.headers) }
    return [{ ...this.#options, ...Object.fromEntries(given), headers }, this]
  }
}

/** Header names are case-insensitive. */
function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function normalizeBaseUrl(baseUrl: string): string {
  const url = httpUrl(baseUrl)
  if (url === undefined) {
    throw new ConfigurationError('baseUrl must be an absolute http or https URL')
  }
  const { origin, pathname, href } = url
  if (href !== origin + pathname) {
    throw new ConfigurationError('baseUrl must hold no credentials, query or fragment')
  }
  return origin + pathname.replace(/\/*(\/v1)?\/*$/, '')
}

/**
 * The client with every resource, without a platform. The caller passes transport, clock and files. `@svc-audio/core`
 * passes them for Node.
 */
export class PureAudioClient extends BaseClient {
  /** Speech from text: a response, a stream or a task. */
  readonly speech: SpeechResource = this.add(SpeechResource)
  /** Speech of several voices. */
  readonly dialogue: DialogueResource = this.add(DialogueResource)
  /** Text from audio: a response, a stream or a task. */
  readonly transcriptions: TranscriptionsResource = this.add(TranscriptionsResource)
  /** Voices: list them, or make one from a recording. */
  readonly voices: VoicesResource = this.add(VoicesResource)
  /** Speech in a voice that is described in words. */
  readonly voiceGenerations: VoiceGenerationsResource = this.add(VoiceGenerationsResource)
  /** Stored files. */
  readonly files: FilesResource = this.add(FilesResource)
  /** Tasks by their id: read, wait, cancel. */
  readonly tasks: TasksResource = this.add(TasksResource)
  /** The models of the tenant. */
  readonly models: ModelsResource = this.add(ModelsResource)

  /**
   * Downloads the audio of a result or of a finished task. The key goes only to the service's own address, never to
   * another one that the URL or a redirect names. If the URL has expired, the client reads a new one from the task.
   * @throws ResultUnavailableError without a URL, or if the URL has expired for good
   */
  download(result: Downloadable, options?: CallOptions): Call<AudioBody> {
    return download(this.context, result, options)
  }

  /**
   * Returns a client with some options changed, for one call or one tenant. `headers` are added to those of this
   * client. Both clients share the connections, the semaphore and the scheduler of waits. Closing the new client ends
   * only its own waits.
   * @throws ConfigurationError naming the option
   * @example
   * await audio.withOptions({ maxRetries: 0, timeout: 5000 }).models.list()
   */
  withOptions(options: DerivedClientOptions): PureAudioClient {
    return new PureAudioClient(...this.derive(options))
  }
}
