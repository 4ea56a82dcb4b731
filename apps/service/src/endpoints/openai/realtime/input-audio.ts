import { Resampler } from '@svc-audio/core/audio'
import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** The audio that a client sends: signed 16-bit little-endian PCM, or G.711 with 8,000 Hz. One channel. */
export type InputFormat =
  | { readonly type: 'audio/pcm'; readonly rate: number }
  | { readonly type: 'audio/pcmu' | 'audio/pcma' }

/** Full scale of 16-bit samples. */
const FULL_SCALE = 32_768

/** Rate of G.711, in Hz. */
const G711_RATE = 8000

/** Returns the sample rate of a format, in Hz. */
function rateOf(format: InputFormat): number {
  return format.type === 'audio/pcm' ? format.rate : G711_RATE
}

/** Converts the audio of a client to samples for recognition. Chunks may end in the middle of a sample. */
export class InputAudio {
  readonly #format: InputFormat
  readonly #resampler: Resampler | undefined
  /** The first byte of a sample whose second one is in the next chunk. */
  #odd: number | undefined

  constructor(format: InputFormat) {
    this.#format = format
    const rate = rateOf(format)
    this.#resampler = rate === RECOGNITION_SAMPLE_RATE ? undefined : new Resampler(rate, RECOGNITION_SAMPLE_RATE)
  }

  /** Returns the samples of the next bytes: 16 kHz, one channel. */
  push(bytes: Uint8Array): Int16Array<ArrayBuffer> {
    const samples = this.#decode(bytes)
    if (this.#resampler === undefined) return samples
    const resampled = this.#resampler.push(Float32Array.from(samples, (sample) => sample / FULL_SCALE))
    return Int16Array.from(resampled, (sample) =>
      Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE))),
    )
  }

  #decode(bytes: Uint8Array): Int16Array<ArrayBuffer> {
    if (this.#format.type !== 'audio/pcm') {
      const table = this.#format.type === 'audio/pcmu' ? MU_LAW : A_LAW
      return Int16Array.from(bytes, (byte) => table[byte] ?? 0)
    }
    const whole = this.#odd === undefined ? bytes : Buffer.concat([Uint8Array.of(this.#odd), bytes])
    this.#odd = whole.length % 2 === 1 ? whole.at(-1) : undefined
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength)
    return Int16Array.from({ length: whole.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
  }
}

/** The samples of the 256 codes of G.711 µ-law (ITU-T G.711). */
const MU_LAW: Int16Array = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff
  const size = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)
  return (bits & 0x80) === 0 ? size - 0x84 : 0x84 - size
})

/** The samples of the 256 codes of G.711 A-law (ITU-T G.711). */
const A_LAW: Int16Array = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55
  const segment = (bits & 0x70) >> 4
  const step = (bits & 0x0f) << 4
  const size = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1)
  return (bits & 0x80) === 0 ? -size : size
})
