import { randomUUID } from 'node:crypto'

/** Audio with its MIME type. */
export interface ShelvedAudio {
  readonly bytes: Buffer
  readonly type: string
}

/** Maximum number of stored audios: one run of every integration, and a few more. */
const MAX_PIECES = 24

/** Stores the latest audio of the integrations. The page plays it by its address. */
export class AudioShelf {
  readonly #pieces = new Map<string, ShelvedAudio>()

  /** Stores audio and drops the oldest above the maximum. @returns the audio's id */
  put(audio: ShelvedAudio): string {
    const id = randomUUID()
    this.#pieces.set(id, audio)
    for (const oldest of this.#pieces.keys()) {
      if (this.#pieces.size <= MAX_PIECES) break
      this.#pieces.delete(oldest)
    }
    return id
  }

  /** Returns the audio with this id, if still stored. */
  get(id: string): ShelvedAudio | undefined {
    return this.#pieces.get(id)
  }
}
