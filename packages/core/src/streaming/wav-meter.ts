import { asciiString } from './latin1.ts'

/** Where in the file the next byte stands. */
type Place = 'riff' | 'chunk' | 'format' | 'skip' | 'data' | 'past'

/** Bytes of a part that has to be whole before it can be read. */
const PART_BYTES = { riff: 12, chunk: 8, format: 16 } as const

/** Written by encoders that cannot know the size yet. */
const UNKNOWN_SIZES: ReadonlySet<number> = new Set([0, 0xff_ff_ff_ff])

/**
 * Measures a WAV file while its bytes pass by, in chunks of any size; it keeps at most 16 of them. Bytes are counted, so
 * that placeholder sizes, which streaming encoders write, and a cut file are measured right too.
 */
export class WavMeter {
  #place: Place = 'riff'
  readonly #part = new Uint8Array(16)
  #partLength = 0
  /** Bytes until the place is left. */
  #left = 0
  #bytesPerSecond = 0
  #dataBytes = 0

  /** Seconds of audio that have passed so far; `undefined` before the first and for anything that is not WAV. */
  get durationSeconds(): number | undefined {
    if (this.#bytesPerSecond === 0 || this.#dataBytes === 0) return undefined
    return this.#dataBytes / this.#bytesPerSecond
  }

  /** Takes the next bytes of the file. */
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
