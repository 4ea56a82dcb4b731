import type { PcmLayout } from '../join/pcm.ts'
import { toSamples } from '../join/pcm.ts'
import { readWav } from '@svc-audio/core/audio'

/** An encoder of 16-bit samples into a format of pages. It holds memory until `close`. */
export interface PcmEncoder {
  /** What stands before the audio. Take it first. */
  head(): Uint8Array
  /** Encodes interleaved samples. @returns What is complete */
  encode(samples: Int16Array): Uint8Array
  /** What the encoder held back. */
  end(): Uint8Array
  close(): void
}

/** Encodes a WAV file while it comes. Its head tells no length and no marking, as that of the WAV. */
export class WavEncoder {
  readonly #open: (layout: PcmLayout) => Promise<PcmEncoder>
  #encoder: PcmEncoder | undefined

  constructor(open: (layout: PcmLayout) => Promise<PcmEncoder>) {
    this.#open = open
  }

  /**
   * Encodes what came.
   * @param bytes First the head of the WAV file and samples, then samples.
   * @returns What is complete: an encoder holds back up to a second of speech.
   */
  async write(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#encoder !== undefined) return this.#encoder.encode(toSamples(bytes))
    const content = readWav(bytes)
    if (content === undefined) throw new TypeError('There is no WAV to encode')
    this.#encoder = await this.#open(content)
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
