import { createHash } from 'node:crypto'

/** A file to upload. Its JSON is its name and hash, so that checks with equal uploads share one response. */
export class AudioFile extends File {
  readonly #sha256: string

  constructor(bytes: Uint8Array, name = 'conformance.wav', type = 'audio/wav') {
    super([Uint8Array.from(bytes)], name, { type })
    this.#sha256 = createHash('sha256').update(bytes).digest('hex')
  }

  /** Identifies the content. */
  toJSON(): object {
    return { name: this.name, sha256: this.#sha256 }
  }
}
