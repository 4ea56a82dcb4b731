import type { KnownModel } from '@svc-audio/core/interface'
import type { Model, StoredFile, Voice } from '@svc-audio/core'
import type { FullOptions } from '../upstream/options.ts'
import { ResultShelf } from './result-shelf.ts'
import { TaskBook } from './task-book.ts'

const KNOWN_MODELS: readonly KnownModel[] = [
  'svc-tts-1.5-flash',
  'svc-tts-1.0-pro',
  'svc-ttsd-1.0',
  'svc-ttsd-1.0-2026-03-20',
  'svc-transcribe-1.0',
  'svc-transcribe-diarize-pro',
  'svc-voice-generator-1.0',
]

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
