import { RECOGNITION_SAMPLE_RATE } from '../recognition-engine.ts'

/** A source of a recording's samples. */
export interface BlockSource {
  /** Returns the next block, `undefined` at the end. The caller owns its buffer. */
  next(): Promise<Int16Array<ArrayBuffer> | undefined>
}

/** Samples in a block: half a second. Small enough for a quick abort, large enough to keep messages rare. */
export const BLOCK_SAMPLES = 8000

/**
 * Reads signed 16-bit little-endian PCM in blocks of half a second. The bytes may be cut anywhere, even inside a
 * sample. Reads a chunk only for a requested block, after using up the last chunk. Every block has a separate buffer,
 * so it can be transferred.
 */
export class PcmReader implements BlockSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #blocks: AsyncGenerator<Int16Array<ArrayBuffer>>
  #over = false

  constructor(pcm: AsyncIterable<Uint8Array>) {
    this.#chunks = pcm[Symbol.asyncIterator]()
    this.#blocks = this.#read()
  }

  /** Returns the next block, `undefined` at the end. Throws the source's error. */
  async next(): Promise<Int16Array<ArrayBuffer> | undefined> {
    const { done, value } = await this.#blocks.next()
    return done === true ? undefined : value
  }

  /** Closes a source that has not ended. Does not wait for it, because a silent source may take any time. */
  leave(): void {
    if (this.#over) return
    this.#over = true
    // Errors of the teardown do not matter.
    void Promise.resolve(this.#chunks.return?.()).catch(() => undefined)
  }

  async *#read(): AsyncGenerator<Int16Array<ArrayBuffer>> {
    const block = new Uint8Array(2 * BLOCK_SAMPLES)
    let filled = 0
    for (let chunk = await this.#pull(); chunk !== undefined; chunk = await this.#pull()) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + block.length - filled)
        block.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < block.length) continue
        yield samplesOf(block)
        filled = 0
      }
    }
    // Half a sample at the end of the audio is dropped.
    if (filled > 1) yield samplesOf(block.subarray(0, filled))
  }

  async #pull(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next()
      if (done !== true) return value
      this.#over = true
      return undefined
    } catch (error) {
      // It has closed itself.
      this.#over = true
      throw error
    }
  }
}

function samplesOf(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Int16Array(bytes.length >> 1)
  for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(2 * index, true)
  return samples
}

/** Sound is judged in frames of 10 ms. */
export const FRAMES_PER_SECOND = 100

/** Samples in one frame. */
export const FRAME_SAMPLES: number = RECOGNITION_SAMPLE_RATE / FRAMES_PER_SECOND

/**
 * Returns the loudness of samples, in dB over one quantization step: 0 for digital silence, about 87 for the loudest
 * sine. Ignores a constant offset, as cheap sound cards add it.
 */
export function loudness(samples: Int16Array): number {
  let sum = 0
  let squares = 0
  for (const sample of samples) {
    sum += sample
    squares += sample * sample
  }
  const mean = sum / samples.length
  return 10 * Math.log10(Math.max(squares / samples.length - mean * mean, 0) + 1)
}

/** Returns the value above `share` of the values; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Standard deviation; 0 without values. */
export function deviation(values: readonly number[]): number {
  if (values.length === 0) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}
