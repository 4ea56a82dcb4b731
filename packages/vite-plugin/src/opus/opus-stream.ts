import { readWav } from '../audio/wav.ts'
import { toSamples } from '../join/pcm.ts'
import { OpusEncoder } from './opus-encoder.ts'

/** Encodes a WAV file as Ogg Opus while it comes. Its head has no marking, as that of the WAV. */
export class OpusStream {
  #encoder: OpusEncoder | undefined

  /**
   * Encodes what came.
   * @param bytes First the head of the WAV file and samples, then samples.
   * @returns What is complete: the encoder holds back up to a second.
   */
  async write(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#encoder !== undefined) return this.#encoder.encode(toSamples(bytes))
    const content = readWav(bytes)
    if (content === undefined) throw new TypeError('There is no WAV to encode')
    this.#encoder = await OpusEncoder.open(content, undefined)
    return Buffer.concat([this.#encoder.head(), this.#encoder.encode(toSamples(content.samples))])
  }

  /** What the encoder held back. */
  end(): Uint8Array {
    return this.#encoder?.end() ?? new Uint8Array()
  }

  /** Frees the memory of the encoder. */
  close(): void {
    this.#encoder?.close()
    this.#encoder = undefined
  }
}
