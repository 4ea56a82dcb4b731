import { EventTooLargeError } from '../errors/event-too-large-error.ts'

/** Options of {@link SseDecoder}. */
export interface SseDecoderOptions {
  /** Largest event, in bytes of its lines. @default 67108864 (64 MiB) */
  readonly maxEventBytes?: number
}

const LF = 10
const CR = 13
const COLON = 58
const SPACE = 32
const DATA = [100, 97, 116, 97]
const BOM = [0xef, 0xbb, 0xbf]

/**
 * Server-sent events from bytes: feed it chunks of any size, get the `data` of every completed event as bytes. Only
 * `data` lines count, as the interface sends nothing else; comments and other fields are skipped.
 *
 * One pass with native searches. A line that spans chunks is kept as a list and joined once, so that a large event costs
 * linear time. Chunks are referenced until their event is complete: do not overwrite them meanwhile.
 */
export class SseDecoder {
  readonly #maxEventBytes: number
  /** Pieces of the line whose end has not come yet. */
  #partial: Uint8Array[] = []
  /** `data` lines of the event whose end has not come yet. */
  #data: Uint8Array[] = []
  /** Bytes held in the two lists. */
  #held = 0
  /** The last chunk ended in CR: a LF that comes first now belongs to it. */
  #afterCr = false
  #atStart = true

  constructor(options: SseDecoderOptions = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? 64 * 1024 * 1024
  }

  /**
   * The data of each event that this chunk completes, in order.
   * @throws EventTooLargeError
   */
  feed(chunk: Uint8Array): Uint8Array[] {
    const events: Uint8Array[] = []
    let from = 0
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCr = false
      if (chunk[0] === LF) from = 1
    }
    // Looked for once a chunk, not once a line: most streams hold no CR at all.
    let cr = indexOrEnd(chunk, CR, from)
    while (from < chunk.length) {
      if (cr < from) cr = indexOrEnd(chunk, CR, from)
      const lf = indexOrEnd(chunk, LF, from)
      const end = Math.min(lf, cr)
      if (end === chunk.length) {
        this.#hold(this.#partial, from === 0 ? chunk : chunk.subarray(from))
        break
      }
      const event = this.#line(this.#join(chunk.subarray(from, end)))
      if (event !== undefined) events.push(event)
      from = end + 1
      if (end === cr) {
        if (from === chunk.length) this.#afterCr = true
        else if (chunk[from] === LF) from += 1
      }
    }
    return events
  }

  /** The data of an event that the end of the stream left without its blank line, or `undefined`. */
  end(): Uint8Array | undefined {
    if (this.#partial.length > 0) {
      const event = this.#line(this.#join(new Uint8Array(0)))
      if (event !== undefined) return event
    }
    return this.#dispatch()
  }

  #join(tail: Uint8Array): Uint8Array {
    if (this.#partial.length === 0) return tail
    this.#hold(this.#partial, tail)
    const line = concat(this.#partial)
    this.#held -= line.length
    this.#partial = []
    return line
  }

  #line(raw: Uint8Array): Uint8Array | undefined {
    let line = raw
    if (this.#atStart) {
      this.#atStart = false
      if (startsWith(line, BOM)) line = line.subarray(BOM.length)
    }
    if (line.length === 0) return this.#dispatch()
    if (!startsWith(line, DATA)) return undefined
    if (line.length === DATA.length) this.#hold(this.#data, line.subarray(DATA.length))
    else if (line[DATA.length] === COLON) {
      this.#hold(this.#data, line.subarray(line[DATA.length + 1] === SPACE ? DATA.length + 2 : DATA.length + 1))
    }
    return undefined
  }

  #dispatch(): Uint8Array | undefined {
    const lines = this.#data
    const [first] = lines
    if (first === undefined) return undefined
    this.#data = []
    for (const line of lines) this.#held -= line.length
    if (lines.length === 1) return first
    const newline = Uint8Array.of(LF)
    return concat(lines.flatMap((line, index) => (index === 0 ? [line] : [newline, line])))
  }

  #hold(list: Uint8Array[], bytes: Uint8Array): void {
    this.#held += bytes.length
    if (this.#held > this.#maxEventBytes) throw new EventTooLargeError(this.#maxEventBytes)
    list.push(bytes)
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}
