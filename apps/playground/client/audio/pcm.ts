import { type PcmFormat, pcmSeconds } from '@svc-audio/core/audio'
import { frameBytes, wavHeader } from '@svc-audio/core/adapter'

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

/**
 * Converts interleaved signed little-endian PCM to one array per channel, from -1 to 1, for Web Audio.
 * @param pcm Whole frames.
 */
export function pcmToFloats(format: PcmFormat, pcm: Uint8Array): Float32Array<ArrayBuffer>[] {
  const { channels, bitDepth } = format
  const frames = Math.floor(pcm.byteLength / frameBytes(format))
  if (bitDepth === 16 && pcm.byteOffset % 2 === 0 && LITTLE_ENDIAN) return fromPcm16(channels, frames, pcm)
  const bytes = bitDepth / 8
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame += 1) {
      samples[frame] = readSample(view, (frame * channels + channel) * bytes, bytes)
    }
    return samples
  })
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The usual format, several times faster than by {@link readSample}. */
function fromPcm16(channels: number, frames: number, pcm: Uint8Array): Float32Array<ArrayBuffer>[] {
  const values = new Int16Array(pcm.buffer, pcm.byteOffset, frames * channels)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0, at = channel; frame < frames; frame += 1, at += channels) {
      samples[frame] = (values[at] ?? 0) / 0x80_00
    }
    return samples
  })
}

/** Reads at most the four most significant bytes. More precision is inaudible. */
function readSample(view: DataView, offset: number, bytes: number): number {
  if (bytes === 2) return view.getInt16(offset, true) / 0x80_00
  if (bytes === 1) return view.getInt8(offset) / 0x80
  if (bytes === 3) return (view.getUint8(offset) + view.getInt16(offset + 1, true) * 0x1_00) / 0x80_00_00
  return view.getInt32(offset + bytes - 4, true) / 0x80_00_00_00
}

/** Converts samples from -1 to 1 to 16-bit little-endian PCM. Clips louder samples. */
export function floatsToPcm16(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2))
  for (const [index, sample] of samples.entries()) {
    view.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7f_ff), true)
  }
  return new Uint8Array(view.buffer)
}

/** PCM as samples of a WAV file: 8-bit samples become unsigned, others stay as they are. */
async function wavSamplesOf({ bitDepth }: PcmFormat, pcm: Blob): Promise<Blob> {
  if (bitDepth !== 8) return pcm
  const bytes = new Uint8Array(await pcm.arrayBuffer())
  return new Blob([bytes.map((sample) => sample ^ 0x80)])
}

/** Stored levels per second of audio. */
export const LEVELS_PER_SECOND = 20

/** Loudness over time, 0 to 1, {@link LEVELS_PER_SECOND} values a second. A waveform draws it. */
export interface Levels {
  readonly length: number
  /** The level at an index. */
  at(index: number): number
}

/** Collects the levels of audio as it arrives. Half an hour takes 144 KB. */
export class LevelTrack implements Levels {
  readonly #window: number
  #levels = new Float32Array(1024)
  #length = 0
  #peak = 0
  #count = 0

  constructor(sampleRate: number) {
    this.#window = Math.max(1, Math.round(sampleRate / LEVELS_PER_SECOND))
  }

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return index < this.#length ? (this.#levels[index] ?? 0) : 0
  }

  /** Takes samples from -1 to 1. */
  push(samples: Float32Array): void {
    for (const sample of samples) {
      const size = Math.abs(sample)
      if (size > this.#peak) this.#peak = size
      this.#count += 1
      if (this.#count === this.#window) this.#store()
    }
  }

  #store(): void {
    if (this.#length === this.#levels.length) {
      const larger = new Float32Array(this.#length * 2)
      larger.set(this.#levels)
      this.#levels = larger
    }
    this.#levels[this.#length] = this.#peak
    this.#length += 1
    this.#peak = 0
    this.#count = 0
  }
}

/**
 * Returns the heights of `count` bars for audio of a length in seconds, 0 to 1. A bar is the mean of its levels, not the
 * loudest of them: words and pauses then stay visible. A bar of a long audio takes its first second only: means of more
 * are all alike.
 */
export function barsOf(levels: Levels, seconds: number, count: number): number[] {
  const step = (seconds * LEVELS_PER_SECOND) / count
  return Array.from({ length: count }, (_, bar) => {
    const first = Math.floor(bar * step)
    const last = Math.min(Math.max(first + 1, Math.floor((bar + 1) * step)), first + LEVELS_PER_SECOND)
    let sum = 0
    for (let index = first; index < last; index += 1) sum += levels.at(index)
    return sum / (last - first)
  })
}

/** Computes the levels of decoded audio. */
export function levelsOf(samples: Float32Array, sampleRate: number): Levels {
  const meter = new LevelTrack(sampleRate)
  meter.push(samples)
  return meter
}

/** Pixels from bar to bar, and the width of a bar, whose ends are round. */
const STEP = 5
const BAR = 3
/** Levels below this value are drawn as silence. */
const QUIET = 0.04

/**
 * Returns the bars of audio as a path of SVG, in CSS pixels, scaled to the full height: it shows the shape. The work depends
 * on the width alone.
 * @param duration Of the audio, in seconds.
 */
export function waveformPath(levels: Levels | undefined, duration: number, width: number, height: number): string {
  const count = Math.max(1, Math.floor(width / STEP))
  const bars = levels === undefined ? Array.from({ length: count }, () => 0) : barsOf(levels, duration, count)
  const loudest = bars.reduce((most, bar) => Math.max(most, bar), QUIET)
  const lines = bars.map((bar, index) => {
    const length = Math.max(0.1, (bar / loudest) * height - BAR)
    return `M${(index + 0.5) * STEP} ${((height - length) / 2).toFixed(1)}v${length.toFixed(1)}`
  })
  return lines.join('')
}
