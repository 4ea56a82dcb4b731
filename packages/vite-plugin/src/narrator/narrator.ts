import { AudioClient, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import { FORMATS, type NarrationFormat } from '../audio/formats.ts'
import { type NarratedAudio, NarrationCache } from './cache.ts'
import { cacheKey, type Script } from './cache-key.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { type Asker, SharedWork } from './shared-work.ts'
import { UnreadableAudioError } from './unreadable-audio-error.ts'

/** Options of {@link Narrator}: the resolved ones of the plugin. */
export interface NarratorOptions {
  /** The caller's own client; without it one is made from the next two, when the first audio is. */
  readonly client?: PureAudioClient | undefined
  readonly apiKey?: string | undefined
  readonly baseUrl: string
  /** Folder of the cache, absolute. */
  readonly cacheDir: string
  readonly concurrency: number
  /** Deadline for one call, in milliseconds. */
  readonly timeout?: number | undefined
}

/** Every narrator of this process: two builds at once that want the same audio make one call. */
const underWay = new SharedWork<NarratedAudio>()

/** Texts to audio, each made once: from the cache, from work under way, or from the service. It knows no bundler. */
export class Narrator {
  readonly #options: NarratorOptions
  readonly #cache: NarrationCache
  readonly #limit: Limiter
  readonly #calls = new Set<Promise<unknown>>()
  #ownClient: AudioClient | undefined

  constructor(options: NarratorOptions) {
    this.#options = options
    this.#cache = new NarrationCache(options.cacheDir)
    this.#limit = createLimiter(options.concurrency)
  }

  /** The audio of a script if it is there already; never makes a call. */
  cached(script: Script): Promise<NarratedAudio | undefined> {
    return this.#cache.read(cacheKey(script), script.response_format)
  }

  /** The audio of a key if it is there already. */
  find(key: string, format: NarrationFormat): Promise<NarratedAudio | undefined> {
    return this.#cache.read(key, format)
  }

  /**
   * The audio of a script.
   * @throws ConfigurationError when a call is needed and there is no key for it
   * @throws the client's errors, UnreadableAudioError, or the reason of the asker's signals
   */
  narrate(script: Script, asker: Asker): Promise<NarratedAudio> {
    const key = cacheKey(script)
    return underWay.run(`${this.#cache.folder}\0${key}`, asker, async ({ signal, started }) => {
      const cached = await this.#cache.read(key, script.response_format)
      if (cached !== undefined) return cached
      return this.#limit(async () => {
        started()
        const call = this.#make(key, script, signal)
        this.#calls.add(call)
        return call.finally(() => this.#calls.delete(call))
      }, signal)
    })
  }

  /** Frees the connections once the calls under way are over. Afterwards the narrator can be used again. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#calls)
    await this.#ownClient?.close()
  }

  async #make(key: string, script: Script, signal: AbortSignal): Promise<NarratedAudio> {
    const { model, text, voice_id, response_format, aigc_metadata } = script
    const marking = aigc_metadata === undefined ? {} : { aigc_metadata }
    const body = { model, input: text, voice_id, response_format, ...marking }
    const { timeout } = this.#options
    const speech = await this.#client().speech.create(body, { signal, ...(timeout === undefined ? {} : { timeout }) })
    const audio = await speech.bytes()
    const durationSeconds = FORMATS[response_format].seconds(audio)
    if (durationSeconds === undefined) throw new UnreadableAudioError(response_format, speech.contentType)
    // What was asked for stands beside the audio, for whoever looks; not where, since the folder may be published.
    return this.#cache.write(key, response_format, { audio, durationSeconds }, body)
  }

  #client(): PureAudioClient {
    const { client, apiKey, baseUrl } = this.#options
    if (client !== undefined) return client
    if (apiKey === undefined) {
      throw new ConfigurationError(
        'apiKey is missing: give it to narration(), or set SVC_AUDIO_API_KEY in the environment or in .env.local',
      )
    }
    this.#ownClient ??= new AudioClient({ apiKey, baseUrl })
    return this.#ownClient
  }
}
