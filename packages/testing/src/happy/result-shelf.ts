import type { SpeechAudio } from '../audio/speech-audio.ts'

/** Audio that is fetched by URL. Nobody needs a key for it: the URL carries a token, which can expire. */
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

  /** The URL as it is valid now. */
  url(id: string): string {
    return String(this.#change(new URL(`/v1/audio/results/${id}?token=${this.#token}`, this.#baseUrl)))
  }

  /** Makes every URL invalid that was given so far. */
  expire(): void {
    this.#token += 1
  }

  find(id: string, query: URLSearchParams): SpeechAudio | 'expired' | undefined {
    return query.get('token') === String(this.#token) ? this.#kept.get(id) : 'expired'
  }
}
