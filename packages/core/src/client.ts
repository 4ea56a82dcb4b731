import type { CheckOptions } from './checks/check-options.ts'
import type { CheckRequest } from './checks/check-request.ts'
import { httpUrl } from './checks/values.ts'
import { ConfigurationError } from './errors/request-errors.ts'
import { ConnectionError } from './errors/service-errors.ts'
import type { ClientContext } from './resources/context.ts'
import { DialogueResource } from './resources/dialogue.ts'
import { download, type Downloadable } from './resources/download.ts'
import { FilesResource } from './resources/files.ts'
import { ModelsResource } from './resources/models.ts'
import { retrieveTask } from './resources/retrieve-task.ts'
import { SpeechResource } from './resources/speech.ts'
import { TasksResource } from './resources/tasks.ts'
import { TranscriptionsResource } from './resources/transcriptions.ts'
import { VoiceGenerationsResource } from './resources/voice-generations.ts'
import { VoicesResource } from './resources/voices.ts'
import type { AudioBody } from './streaming/audio-body.ts'
import { TaskWaiter } from './tasks/task-waiter.ts'
import { Api } from './transport/api.ts'
import type { ApiKey } from './transport/key-source.ts'
import type { Call } from './transport/call.ts'
import type { CallOptions } from './transport/call-options.ts'
import type { Semaphore } from './transport/semaphore.ts'
import type { Observe } from './transport/observe.ts'
import { checkTimeout, checkWhole } from './transport/settings.ts'
import type { Clock, Transport } from './transport/transport.ts'
import type { FileAccess, NameUpload } from './transport/upload-source.ts'
import type { Task } from './wire/tasks.ts'

/** Deadline of one poll of a task, in milliseconds. The next poll is a new request. */
const POLL_TIMEOUT = 60_000

/** Options of every client, on every runtime. */
export interface ClientOptions {
  /** Deadline of each whole call, in milliseconds. It includes retries and the reading of the body. @default none */
  readonly timeout?: number
  /**
   * Longest silence between two events of a stream, in milliseconds. Keep-alive comments do not count as events.
   * @default 300000
   */
  readonly idleEventsTimeout?: number
  /** Number of retries of a failed attempt. The README lists which calls are retried. @default 2 */
  readonly maxRetries?: number
  /**
   * Largest upload, in bytes. A larger one fails before it is sent. The interface allows 512 MB. A self-hosted service
   * may accept more. @default 536870912
   */
  readonly maxUploadBytes?: number
  /**
   * Headers of every request to the service. Headers of a call replace them by name. Neither can replace
   * `authorization`. @default none
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Sends the `url` of a transcription even if it names localhost, a loopback or a private address. The service then
   * decides. It refuses such an address unless its operator allows it (interface: transcription `url`).
   * @default false, `InvalidRequestError` before the request
   */
  readonly allowPrivateUrls?: boolean
  /**
   * Limits the billable calls in flight. Several clients may share one. An answer in one piece releases its place when
   * it begins to arrive. A stream releases it at its end, or when nobody reads the stream for 10 seconds while another
   * call waits.
   * @default `createSemaphore(64)`; none for a client that gets its transport as an option
   */
  readonly semaphore?: Semaphore
}

/** Options of a client without a platform. The caller passes transport, clock and files. */
export interface PureAudioClientOptions extends ClientOptions {
  /**
   * The bearer key, or a function that returns the current key. The client calls the function before each request. It
   * sends the key only in the `authorization` header, and only to {@link PureAudioClientOptions.baseUrl}.
   */
  readonly apiKey: ApiKey
  /** Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  /** Access to files, for uploads from a path and for `saveTo()`. Without it, both throw `ConfigurationError`. */
  readonly files?: FileAccess
  /** Receives an event for every call: `telemetry({ logger, tracer })` of `@svc-audio/core`. @default none */
  readonly observe?: Observe | undefined
  /**
   * Checks bodies by the rules of the interface before they are sent: `checkRequest` of `@svc-audio/core`.
   * @default none: only the types and the service check
   */
  readonly checkRequest?: CheckRequest | undefined
  /**
   * Refuses unknown options of calls and waits: `checkOptions` of `@svc-audio/core`.
   * @default none: only the types check them
   */
  readonly checkOptions?: CheckOptions | undefined
  /**
   * Corrects the names and types of uploads, by their first bytes too: `nameUpload` of `@svc-audio/core`.
   * @default none: name and type are sent unchanged
   */
  readonly nameUpload?: NameUpload | undefined
  /** Returns a number from 0 to 1, for the delays of retries and polls. @default Math.random */
  readonly random?: () => number
}

/** Options that {@link PureAudioClient.withOptions} can change. */
export interface DerivedClientOptions extends ClientOptions {
  /** Another key, e.g. of another tenant. */
  readonly apiKey?: ApiKey
  /** Another address of the service. */
  readonly baseUrl?: string
}

/**
 * The client without a platform. The caller passes transport, clock and files. `@svc-audio/core` passes them for Node.
 */
export class PureAudioClient {
  readonly speech: SpeechResource
  readonly dialogue: DialogueResource
  readonly transcriptions: TranscriptionsResource
  readonly voices: VoicesResource
  readonly voiceGenerations: VoiceGenerationsResource
  readonly files: FilesResource
  readonly tasks: TasksResource
  readonly models: ModelsResource
  /** Address of the service, without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  readonly #options: PureAudioClientOptions
  readonly #context: ClientContext
  readonly #isDerived: boolean

  /**
   * @param parent The client to derive from: use {@link PureAudioClient.withOptions}.
   * @throws ConfigurationError naming the option
   */
  constructor(options: PureAudioClientOptions, parent?: PureAudioClient) {
    const { clock, maxUploadBytes, allowPrivateUrls = false } = options
    const { idleEventsTimeout = 300_000, maxRetries = 2, random = Math.random } = options
    checkTimeout(options.timeout)
    checkTimeout(idleEventsTimeout, 'idleEventsTimeout')
    checkWhole(maxRetries, 'maxRetries', 0)
    if (maxUploadBytes !== undefined) checkWhole(maxUploadBytes, 'maxUploadBytes')
    if (typeof allowPrivateUrls !== 'boolean') throw new ConfigurationError('allowPrivateUrls must be true or false')
    this.#options = options
    this.#isDerived = parent !== undefined
    this.baseUrl = normalizeBaseUrl(options.baseUrl)
    const { baseUrl } = this
    const api = new Api({ ...options, baseUrl, maxRetries, idleEventsTimeout, random })
    const read = (id: string, signal: AbortSignal): Call<Task> =>
      retrieveTask(api, id, { signal, maxRetries: 0, timeout: POLL_TIMEOUT })
    const waiter = new TaskWaiter(
      { read, clock, random, redact: api.redact, checkOptions: options.checkOptions },
      parent === undefined ? undefined : parent.#context.waiter,
    )
    const check: ClientContext['check'] = (endpoint, body, outcome) =>
      options.checkRequest?.(endpoint, body, outcome, { allowPrivateUrls })
    const context = { api, waiter, uploads: options, check }
    this.#context = context
    this.speech = new SpeechResource(context)
    this.dialogue = new DialogueResource(context)
    this.transcriptions = new TranscriptionsResource(context)
    this.voices = new VoicesResource(context)
    this.voiceGenerations = new VoiceGenerationsResource(context)
    this.files = new FilesResource(context)
    this.tasks = new TasksResource(context)
    this.models = new ModelsResource(context)
  }

  /**
   * Downloads the audio of a result or of a finished task. The key goes only to the service's own address, never to
   * another one that the URL or a redirect names. If the URL has expired, the client reads a new one from the task.
   * @throws ResultUnavailableError without a URL, or if the URL has expired for good
   */
  download(result: Downloadable, options?: CallOptions): Call<AudioBody> {
    return download(this.#context, result, options)
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
    return new PureAudioClient(derive(this.#options, options), this)
  }

  /** Ends every wait and closes every connection. Calls in flight fail. */
  async close(): Promise<void> {
    const { waiter, api } = this.#context
    waiter.close(new ConnectionError('The client was closed'))
    if (!this.#isDerived) await api.close()
  }
}

/** Merges changes into options. `undefined` changes nothing. */
function derive(options: PureAudioClientOptions, changes: DerivedClientOptions): PureAudioClientOptions {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return {
    ...options,
    ...Object.fromEntries(given),
    headers: { ...lowerCase(options.headers), ...lowerCase(changes.headers) },
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
