import type { SpeechAudio } from '../audio/speech-audio.ts'

/** Audio to download by URL. The URL needs no key: it carries a token, which can expire. */
export class ResultShelf {
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
