import { asciiString } from '../bytes.ts'

/** The part of the file that contains the next byte. */
type Place = 'riff' | 'chunk' | 'format' | 'skip' | 'data' | 'past'

/** Bytes of each part that must be complete before it is read. */
const PART_BYTES = { riff: 12, chunk: 8, format: 16 } as const

/** Placeholder sizes of streaming encoders. */
const UNKNOWN_SIZES: ReadonlySet<number> = new Set([0, 0xff_ff_ff_ff])

/**
 * Measures a WAV file from chunks of any size. It stores at most 16 bytes. It counts bytes, so it also measures files
 * with placeholder sizes and cut files.
 */
export class WavMeter {
  #place: Place = 'riff'
  readonly #part = new Uint8Array(16)
  #partLength = 0
  /** Bytes until the next part. */
  #left = 0
  #bytesPerSecond = 0
  #dataBytes = 0

  /** Seconds of audio so far. `undefined` before the first sample, and if the file is not WAV. */
  get durationSeconds(): number | undefined {
    if (this.#bytesPerSecond === 0 || this.#dataBytes === 0) return undefined
    return this.#dataBytes / this.#bytesPerSecond
  }

  /** Adds the next bytes of the file. */
  add(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.byteLength && this.#place !== 'past') {
      if (this.#place === 'data' || this.#place === 'skip') at += this.#pass(bytes.byteLength - at)
      else at += this.#collect(bytes.subarray(at), PART_BYTES[this.#place])
    }
  }

  #pass(available: number): number {
    const taken = Math.min(available, this.#left)
    this.#left -= taken
    if (this.#place === 'data') this.#dataBytes += taken
    if (this.#left === 0) this.#place = this.#place === 'data' ? 'past' : 'chunk'
    return taken
  }

  #collect(bytes: Uint8Array, wanted: number): number {
    const taken = bytes.subarray(0, wanted - this.#partLength)
    this.#part.set(taken, this.#partLength)
    this.#partLength += taken.byteLength
    if (this.#partLength === wanted) {
      this.#partLength = 0
      this.#readPart(new DataView(this.#part.buffer))
    }
    return taken.byteLength
  }

  #readPart(part: DataView): void {
    const text = (from: number): string => asciiString(this.#part.subarray(from, from + 4))
    if (this.#place === 'riff') {
      const wave = (text(0) === 'RIFF' || text(0) === 'RF64') && text(8) === 'WAVE'
      this.#place = wave ? 'chunk' : 'past'
    } else if (this.#place === 'format') {
      this.#bytesPerSecond = part.getUint32(8, true)
      this.#skip(this.#left)
    } else {
      this.#beginChunk(text(0), part.getUint32(4, true))
    }
  }

  #beginChunk(id: string, size: number): void {
    if (id === 'data') {
      this.#place = 'data'
      this.#left = UNKNOWN_SIZES.has(size) ? Infinity : size
    } else if (id === 'fmt ' && size >= PART_BYTES.format) {
      this.#place = 'format'
      this.#left = size + (size % 2) - PART_BYTES.format
    } else {
      this.#skip(size + (size % 2))
    }
  }

  #skip(bytes: number): void {
    this.#left = bytes
    this.#place = bytes === 0 ? 'chunk' : 'skip'
  }
}
