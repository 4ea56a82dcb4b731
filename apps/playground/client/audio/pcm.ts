import { frameBytes, type PcmFormat, pcmSeconds, wavHeader } from '@svc-audio/core/audio'
import { pcmToFloats, wavSamplesOf } from './pcm-floats.ts'
import { type Levels, LevelTrack } from './levels.ts'

/** Bytes that become one blob: 8 seconds at 16 kHz. */
const PIECE_BYTES = 256 * 1024

/** How a stream ended: `open` still runs, `cut` lacks its end. */
export type TrackEnd = 'open' | 'complete' | 'cut'

/**
 * Received PCM. It can be read from any position while it still arrives. Older audio is in blobs, which the browser
 * stores outside of the page's memory.
 */
export class PcmTrack {
  readonly format: PcmFormat
  readonly #meter: LevelTrack
  readonly #frameBytes: number
  readonly #pieces: Blob[] = []
  #tail: Uint8Array<ArrayBuffer>[] = []
  #tailBytes = 0
  #bytes = 0
  #end: TrackEnd = 'open'
  readonly #listeners = new Set<() => void>()

  constructor(format: PcmFormat) {
    this.format = format
    this.#frameBytes = frameBytes(format)
    this.#meter = new LevelTrack(format.sampleRate)
  }

  /** Received bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Received frames. */
  get frames(): number {
    return this.#bytes / this.#frameBytes
  }

  /** Received audio, in seconds. */
  get seconds(): number {
    return pcmSeconds(this.format, this.#bytes)
  }

  get end(): TrackEnd {
    return this.#end
  }

  get levels(): Levels {
    return this.#meter
  }

  /** Adds PCM in whole frames. */
  append(pcm: Uint8Array): void {
    // The chunk may be a view of a larger buffer, which would stay in memory with it.
    const copy = pcm.slice()
    const [first] = pcmToFloats(this.format, copy)
    if (first !== undefined) this.#meter.push(first)
    this.#tail.push(copy)
    this.#tailBytes += copy.byteLength
    this.#bytes += copy.byteLength
    if (this.#tailBytes >= PIECE_BYTES) {
      this.#pieces.push(new Blob(this.#tail))
      this.#tail = []
      this.#tailBytes = 0
    }
    this.#notify()
  }

  /** Marks the end of the stream. */
  finish(end: Exclude<TrackEnd, 'open'>): void {
    this.#end = end
    this.#notify()
  }

  /**
   * Reads frames.
   * @returns one array per channel, from -1 to 1. Fewer frames than asked for, if they have not arrived.
   */
  async read(from: number, count: number): Promise<Float32Array<ArrayBuffer>[]> {
    return this.readNew(from, count) ?? pcmToFloats(this.format, await this.#stored(...this.#range(from, count)))
  }

  /** Reads frames as {@link PcmTrack.read} does, but at once. @returns `undefined` if they are in a blob already */
  readNew(from: number, count: number): Float32Array<ArrayBuffer>[] | undefined {
    const stored = this.#bytes - this.#tailBytes
    const [start, stop] = this.#range(from, count)
    return start < stored ? undefined : pcmToFloats(this.format, this.#newest(start - stored, stop - stored))
  }

  /** The audio so far as a WAV file. Its bytes are not copied. */
  async wav(): Promise<Blob> {
    const parts = wavSamplesOf(this.format, new Blob([...this.#pieces, ...this.#tail]))
    const padding = new Uint8Array(this.#bytes % 2)
    return new Blob([wavHeader(this.format, this.#bytes), await parts, padding], { type: 'audio/wav' })
  }

  /** Calls `listener` after each change. @returns a function that ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #range(from: number, count: number): [start: number, stop: number] {
    const start = Math.min(from * this.#frameBytes, this.#bytes)
    return [start, Math.min(start + count * this.#frameBytes, this.#bytes)]
  }

  #newest(start: number, stop: number): Uint8Array {
    const parts: Uint8Array[] = []
    let offset = 0
    for (const chunk of this.#tail) {
      const [from, to] = [Math.max(0, start - offset), Math.min(chunk.byteLength, stop - offset)]
      if (from < to) parts.push(chunk.subarray(from, to))
      offset += chunk.byteLength
    }
    const [first] = parts
    return first !== undefined && parts.length === 1 ? first : join(parts)
  }

  async #stored(start: number, stop: number): Promise<Uint8Array<ArrayBuffer>> {
    let offset = 0
    const parts: Blob[] = []
    for (const piece of [...this.#pieces, new Blob(this.#tail)]) {
      const from = Math.max(0, start - offset)
      if (from < piece.size && offset < stop) parts.push(piece.slice(from, stop - offset))
      offset += piece.size
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer())
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function join(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.byteLength
  }
  return joined
}
