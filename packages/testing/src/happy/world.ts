import type { Model, StoredFile, Voice } from '@svc-audio/core'
import { KNOWN_MODELS } from '@svc-audio/core/interface'
import type { SpeechAudio } from '../audio/speech-audio.ts'
import type { FullOptions } from '../upstream/test-upstream.ts'
import { TaskBook } from './task-book.ts'

/** State of the happy responses. */
export class World {
  readonly options: FullOptions
  readonly models: readonly Model[]
  readonly voices: Voice[]
  readonly files: StoredFile[] = []
  readonly results: ResultShelf
  readonly tasks: TaskBook
  #ids = 0

  /** @param url Address of the upstream. */
  constructor(options: FullOptions, url: string) {
    this.options = options
    this.models = (options.models.length > 0 ? options.models : KNOWN_MODELS).map((model) =>
      typeof model === 'string' ? { id: model, object: 'model', created: this.seconds(), owned_by: 'svc' } : model,
    )
    const { voices } = options
    this.voices = typeof voices === 'number' ? Array.from({ length: voices }, (_, at) => this.#voice(at)) : [...voices]
    this.results = new ResultShelf(url, options.resultUrl)
    this.tasks = new TaskBook({ ...options, seconds: () => this.seconds(), nextId: () => this.nextId('task') })
  }

  /** Now, in Unix seconds. */
  seconds(): number {
    return Math.floor(this.options.now() / 1000)
  }

  /** An id that this upstream has not used yet. */
  nextId(kind: string): string {
    this.#ids += 1
    return `${kind}-${this.#ids}`
  }

  #voice(index: number): Voice {
    return { id: `voice-${index + 1}`, object: 'audio.voice', name: `Voice ${index + 1}`, created_at: this.seconds() }
  }
}

/** Audio to download by URL. The URL needs no key: it carries a token, which can expire. */
class ResultShelf {
  readonly #baseUrl: string
  readonly #change: (url: URL) => URL | string
  readonly #kept = new Map<string, SpeechAudio>()
  #token = 1

  constructor(baseUrl: string, change: (url: URL) => URL | string) {
    this.#baseUrl = baseUrl
    this.#change = change
  }

  keep(id: string, audio: SpeechAudio): void {
    this.#kept.set(id, audio)
  }

  /** The URL with its currently valid token. */
  url(id: string): string {
    return String(this.#change(new URL(`/v1/audio/results/${id}?token=${this.#token}`, this.#baseUrl)))
  }

  /** Makes every earlier URL invalid. */
  expire(): void {
    this.#token += 1
  }

  find(id: string, query: URLSearchParams): SpeechAudio | 'expired' | undefined {
    return query.get('token') === String(this.#token) ? this.#kept.get(id) : 'expired'
  }
}
