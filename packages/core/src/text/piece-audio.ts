import type { PcmFormat } from '../audio/pcm-format.ts'
import type { Bell } from './bell.ts'

/** Speech while it is synthesized: a `SpeechStream`, or a similar object. */
export interface SpokenStream extends AsyncIterable<Uint8Array> {
  /** Format of the PCM. */
  readonly format: PcmFormat
  /** Id of the task. */
  readonly taskId?: string | undefined
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
  /** Whether the service confirmed the end. Valid after the stream was read. */
  readonly complete: boolean
  /** Drops the rest of the speech. */
  cancel(): void
}

/** Maximum audio of one piece to read ahead, in bytes. At the limit the client stops reading. */
export const AHEAD_MAX_BYTES: number = 8 * 1024 * 1024

/** The audio of one piece. It is read as it arrives, and stored until it is taken. */
export class PieceAudio {
  readonly #bell: Bell
  #stream: SpokenStream | undefined
  #chunks: Uint8Array[] = []
  #bytes = 0
  #ended = false
  #cancelled = false

  constructor(bell: Bell) {
    this.#bell = bell
  }

  /** The stream, after the service has begun to answer. */
  get stream(): SpokenStream | undefined {
    return this.#stream
  }

  /** Reads a stream to its end. Rejects as the stream does. */
  async read(open: () => Promise<SpokenStream>): Promise<void> {
    const stream = await open()
    if (this.#cancelled) {
      stream.cancel()
      return
    }
    this.#stream = stream
    this.#bell.ring()
    for await (const chunk of stream) {
      this.#chunks.push(chunk)
      this.#bytes += chunk.byteLength
      this.#bell.ring()
      while (this.#bytes >= AHEAD_MAX_BYTES && !this.#cancelled) await this.#bell.rung
      if (this.#cancelled) return
    }
    this.#ended = true
    this.#bell.ring()
  }

  /** The next chunk. `null` after the end, `undefined` if none is available yet. */
  take(): Uint8Array | null | undefined {
    const chunk = this.#chunks.shift()
    if (chunk === undefined) return this.#ended ? null : undefined
    this.#bytes -= chunk.byteLength
    this.#bell.ring()
    return chunk
  }

  /** Drops the rest. */
  cancel(): void {
    this.#cancelled = true
    this.#chunks = []
    if (!this.#ended) this.#stream?.cancel()
    this.#bell.ring()
  }
}
