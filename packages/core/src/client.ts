import { ConfigurationError } from './errors/configuration-error.ts'
import { ModelsResource } from './resources/models.ts'
import { SpeechResource } from './resources/speech.ts'
import { TranscriptionsResource } from './resources/transcriptions.ts'
import { VoicesResource } from './resources/voices.ts'
import { Api } from './transport/api.ts'
import { checkTimeout } from './transport/request-scope.ts'
import type { Clock, Transport } from './transport/transport.ts'
import type { FileAccess } from './transport/uploads.ts'

/** Options of the client where everything that touches the outside is given. */
export interface PureAudioClientOptions {
  /** The bearer key. It leaves the client only in the `authorization` header to {@link PureAudioClientOptions.baseUrl}. */
  readonly apiKey: string
  /** Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  /** For uploads from a path and `saveTo()`; without it those throw `ConfigurationError`. */
  readonly files?: FileAccess
  /** Deadline for each whole call, in milliseconds. @default none */
  readonly timeout?: number
  /**
   * Largest upload, in bytes: a larger one is refused before it is sent. The interface's limit is 512 MB; a service of
   * your own may take more. @default 536870912
   */
  readonly maxUploadBytes?: number
}

/** The client without any platform: transport, clock and files are given. `@svc-audio/core` fills them in for Node. */
export class PureAudioClient {
  readonly speech: SpeechResource
  readonly transcriptions: TranscriptionsResource
  readonly voices: VoicesResource
  readonly models: ModelsResource
  /** Address of the service, without `/v1` and without a slash at its end. */
  readonly baseUrl: string
  readonly #api: Api

  /** @throws ConfigurationError naming the option */
  constructor(options: PureAudioClientOptions) {
    const { transport, clock, files, timeout, maxUploadBytes } = options
    checkTimeout(timeout)
    if (maxUploadBytes !== undefined && !(Number.isSafeInteger(maxUploadBytes) && maxUploadBytes > 0)) {
      throw new ConfigurationError('maxUploadBytes must be a whole number of bytes greater than 0')
    }
    const apiKey = checkApiKey(options.apiKey)
    this.baseUrl = normalizeBaseUrl(options.baseUrl)
    this.#api = new Api({ apiKey, baseUrl: this.baseUrl, transport, clock, timeout })
    this.speech = new SpeechResource(this.#api, files)
    this.transcriptions = new TranscriptionsResource(this.#api, { files, maxUploadBytes })
    this.voices = new VoicesResource(this.#api)
    this.models = new ModelsResource(this.#api)
  }

  /** Frees every connection. Calls under way fail. */
  async close(): Promise<void> {
    await this.#api.close()
  }
}

function checkApiKey(apiKey: string): string {
  if (typeof apiKey !== 'string' || apiKey === '') throw new ConfigurationError('apiKey must be a non-empty string')
  // A line break or a space would break the header, and the error of the HTTP stack would print it.
  if (!/^[\u0021-\u007E]+$/.test(apiKey)) {
    throw new ConfigurationError('apiKey has characters that a key cannot hold, perhaps a space or a line break')
  }
  return apiKey
}

function normalizeBaseUrl(baseUrl: string): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError('baseUrl must be an http or https address, e.g. http://127.0.0.1:8787')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('baseUrl must hold no credentials, query or fragment')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '')}`
}
