import { readWav } from '../audio/wav.ts'
import { toSamples } from '../join/pcm.ts'
import { FlacEncoder, type FlacFrame } from './flac-encoder.ts'

/** Encodes a WAV file as FLAC while it comes. Its head tells no length, as that of the WAV. */
export class FlacStream {
  #encoder: FlacEncoder | undefined

  /**
   * Encodes what came.
   * @param bytes First the head of the WAV file and samples, then samples.
   * @returns What is complete: the encoder holds back less than a quarter of a second of speech.
   */
  async write(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#encoder !== undefined) return bytesOf(this.#encoder.encode(toSamples(bytes)))
    const content = readWav(bytes)
    if (content === undefined) throw new TypeError('There is no WAV to encode')
    this.#encoder = await FlacEncoder.open(content)
    const frames = this.#encoder.encode(toSamples(content.samples))
    return Buffer.concat([this.#encoder.head, bytesOf(frames)])
  }

  /** What the encoder held back. */
  end(): Uint8Array {
    return this.#encoder === undefined ? new Uint8Array() : bytesOf(this.#encoder.end().frames)
  }

  /** Frees the memory of the encoder. */
  close(): void {
    this.#encoder?.close()
    this.#encoder = undefined
  }
}

function bytesOf(frames: readonly FlacFrame[]): Uint8Array {
  return Buffer.concat(frames.map(({ bytes }) => bytes))
}
