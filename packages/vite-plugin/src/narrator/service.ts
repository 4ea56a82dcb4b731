import { encodeWav } from '@svc-audio/core/audio'
import { aigcChunk, aigcValue } from '@svc-audio/core/adapter'
import { AudioClient, ConfigurationError, type Logger, nodeTransport, type PureAudioClient } from '@svc-audio/core'
import type { VoiceSettings } from '../script.ts'
import type { LocalService } from './local-service.ts'

/** Options of {@link Service}. */
export interface ServiceOptions {
  /** The caller's client. Without it, the first call makes one from `apiKey` and `baseUrl`. */
  readonly client?: PureAudioClient | undefined
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  /** Speaks in place of a service with an address. */
  readonly local?: LocalService | undefined
  /** Longest wait for the service, in milliseconds: see the plugin's option. */
  readonly timeout?: number | undefined
}

/** Longest wait for the service by default, in milliseconds. A page in one call takes a slow service minutes. */
const DEFAULT_TIMEOUT = 120_000
/** The same for a service of this machine, in milliseconds: a page in one call takes it minutes. */
const LOCAL_TIMEOUT = 900_000

/** Retries of one call: a minute of a bad line does not end the build of a site. */
const RETRIES = 4

/** Audio of one segment, as received. */
export interface SpokenPiece {
  readonly audio: Uint8Array
  readonly contentType: string
}

/** Hears what went wrong with a call that is repeated, e.g. `TimeoutError`. */
export type OnRepeat = (fault: string) => void

/** Speaks segments. The first call opens the connections. */
export class Service {
  readonly #options: ServiceOptions
  readonly #onRepeat: OnRepeat
  #ownClient: Promise<AudioClient> | undefined

  /** @param onRepeat Hears of each call that is repeated. */
  constructor(options: ServiceOptions, onRepeat: OnRepeat = () => undefined) {
    this.#options = options
    this.#onRepeat = onRepeat
  }

  /**
   * Speaks a segment in one call.
   * @throws ConfigurationError without a key or an address, and the client's errors
   */
  async speak(voice: VoiceSettings, input: string, signal: AbortSignal): Promise<SpokenPiece> {
    const { model, voice_id, pieceFormat, aigc_metadata, language } = voice
    const { client, timeout } = this.#options
    const options = { signal, ...(client === undefined || timeout === undefined ? {} : { timeout }) }
    const body = { model, input, voice_id, ...(aigc_metadata === undefined ? {} : { aigc_metadata }) }
    const { speech } = await this.#client()
    if (language === undefined) {
      const spoken = await speech.create({ ...body, response_format: pieceFormat }, options)
      return { audio: await spoken.bytes(), contentType: spoken.contentType }
    }
    // The interface accepts a language for streams only (`POST /v1/audio/speech` with `stream=true`). PCM carries no marking.
    const stream = await speech.stream({ ...body, language }, options)
    const chunks: Uint8Array[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const marking = aigcValue(aigc_metadata, stream.taskId ?? stream.requestId ?? '')
    return { audio: encodeWav(stream.format, chunks, aigcChunk(marking)), contentType: 'audio/wav' }
  }

  /**
   * Checks that a call can be sent. Makes no call.
   * @throws ConfigurationError without a key or an address, or with an address that is not a URL; LocalServiceError
   */
  async check(): Promise<void> {
    await this.#client()
  }

  /** Closes the connections. The service can be used again afterwards. */
  async close(): Promise<void> {
    const client = this.#ownClient
    this.#ownClient = undefined
    const opened = await client?.catch(() => undefined)
    if (opened === undefined) return
    await opened.close()
    await this.#options.local?.release(this.#lost)
  }

  /** The process of the local service has ended: the next call starts another one. */
  readonly #lost = (): void => void (this.#ownClient = undefined)

  #client(): Promise<PureAudioClient> {
    const { client, local } = this.#options
    if (client !== undefined) return Promise.resolve(client)
    this.#ownClient ??= local === undefined ? this.#remote() : this.#local(local)
    return this.#ownClient
  }

  async #local(local: LocalService): Promise<AudioClient> {
    const address = await local.use(this.#lost).catch((error: unknown) => {
      this.#lost()
      throw error
    })
    return this.#open(address, LOCAL_TIMEOUT)
  }

  async #remote(): Promise<AudioClient> {
    const { apiKey, baseUrl } = this.#options
    if (apiKey === undefined) {
      throw new ConfigurationError(
        'apiKey is missing: pass it to narration(), or set SVC_AUDIO_API_KEY in the environment or in .env.local',
      )
    }
    if (baseUrl === undefined) {
      throw new ConfigurationError(
        'baseUrl is missing: pass the address of the service, or set SVC_AUDIO_BASE_URL in the environment or in .env',
      )
    }
    return this.#open({ apiKey, baseUrl }, DEFAULT_TIMEOUT)
  }

  #open(address: { readonly apiKey: string; readonly baseUrl: string }, defaultTimeout: number): AudioClient {
    const { timeout = defaultTimeout } = this.#options
    const debug: Logger['debug'] = (_, { delay, error = '' }) => {
      if (delay !== undefined) this.#onRepeat(error)
    }
    return new AudioClient({
      ...address,
      logger: { debug },
      // The self-hosted service replays an answer that was lost on its way, so that no text is paid twice.
      idempotent: true,
      maxRetries: RETRIES,
      transport: nodeTransport({ headersTimeout: timeout, idleTimeout: timeout }),
    })
  }
}
