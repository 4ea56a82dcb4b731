import { randomUUID } from 'node:crypto'

/** Audio with its MIME type. */
export interface ShelvedAudio {
  readonly bytes: Buffer
  readonly type: string
}

/** Most stored pieces of audio: one run of every integration, and a few more. */
const MAX_PIECES = 24

/** Keeps the latest audio that integrations made, so that the page can play it by address. */
export class AudioShelf {
  readonly #pieces = new Map<string, ShelvedAudio>()

  /** Keeps a piece, the oldest one goes. @returns its id */
  put(audio: ShelvedAudio): string {
    const id = randomUUID()
    this.#pieces.set(id, audio)
    for (const oldest of this.#pieces.keys()) {
      if (this.#pieces.size <= MAX_PIECES) break
      this.#pieces.delete(oldest)
    }
    return id
  }

  /** The piece with this id, if it is still stored. */
  get(id: string): ShelvedAudio | undefined {
    return this.#pieces.get(id)
  }
}
