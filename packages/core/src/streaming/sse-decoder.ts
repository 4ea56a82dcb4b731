import { asciiString, ByteBuilder, decodeBase64, nativeView } from '../bytes.ts'
import { EventTooLargeError, ProtocolError } from '../errors.ts'

/** Options of {@link SseDecoder}. */
export interface SseDecoderOptions {
  /** Largest event, in bytes: its data so far and the current line. @default 67108864 (64 MiB) */
  readonly maxEventBytes?: number
}

const LF = 10
const CR = 13
const COLON = 58
const SPACE = 32
const DATA = [100, 97, 116, 97]
const BOM = [0xef, 0xbb, 0xbf]
const NEWLINE = Uint8Array.of(LF)

/**
 * Decodes server-sent events. Feed it chunks of any size. It returns the `data` of every completed event as bytes. The
 * interface sends only `data` lines. Comments and other fields are skipped.
 *
 * It makes one pass with native searches. Data that spans chunks or lines is copied into one growing buffer. Work and
 * memory stay linear in the size of an event. The usual event, one line in one chunk, is a view of that chunk. Do not
 * overwrite a chunk while its events are in use.
 */
export class SseDecoder {
  readonly #maxEventBytes: number
  /** The line without its end so far. */
  readonly #partial = new ByteBuilder()
  /** The first `data` line of the current event. */
  #first: Uint8Array | undefined
  /** All its `data` lines, if it has more than one. */
  readonly #joined = new ByteBuilder()
  /** The last chunk ended in CR. A leading LF of the next chunk belongs to it. */
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
    const searched = nativeView(chunk)
    const events: Uint8Array[] = []
    let from = 0
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCr = false
      if (chunk[0] === LF) from = 1
    }
    // Search each line end again only after passing it. A stream usually has one kind of line end. A search for the
    // other kind after every line would scan to the end of the chunk.
    let cr = indexOrEnd(searched, CR, from)
    let lf = indexOrEnd(searched, LF, from)
    while (from < chunk.length) {
      if (cr < from) cr = indexOrEnd(searched, CR, from)
      if (lf < from) lf = indexOrEnd(searched, LF, from)
      const end = Math.min(lf, cr)
      const piece = chunk.subarray(from, end)
      this.#checkSize(piece)
      if (end === chunk.length) {
        this.#partial.push(piece)
        break
      }
      const event = this.#line(this.#whole(piece))
      if (event !== undefined) events.push(event)
      from = end + 1
      if (end === cr) {
        if (from === chunk.length) this.#afterCr = true
        else if (chunk[from] === LF) from += 1
      }
    }
    return events
  }

  /** At the end of the stream: the data of an event without its blank line, or `undefined`. */
  end(): Uint8Array | undefined {
    if (this.#partial.length > 0) {
      const event = this.#line(this.#partial.take())
      if (event !== undefined) return event
    }
    return this.#dispatch()
  }

  /** Joins the partial line with its last piece. */
  #whole(piece: Uint8Array): Uint8Array {
    if (this.#partial.length === 0) return piece
    this.#partial.push(piece)
    return this.#partial.take()
  }

  #line(raw: Uint8Array): Uint8Array | undefined {
    let line = raw
    if (this.#atStart) {
      this.#atStart = false
      if (startsWith(line, BOM)) line = line.subarray(BOM.length)
    }
    if (line.length === 0) return this.#dispatch()
    if (!startsWith(line, DATA)) return undefined
    if (line.length === DATA.length) this.#data(line.subarray(DATA.length))
    else if (line[DATA.length] === COLON) {
      this.#data(line.subarray(line[DATA.length + 1] === SPACE ? DATA.length + 2 : DATA.length + 1))
    }
    return undefined
  }

  #data(line: Uint8Array): void {
    if (this.#first === undefined) {
      this.#first = line
      return
    }
    if (this.#joined.length === 0) this.#joined.push(this.#first)
    this.#joined.push(NEWLINE)
    this.#joined.push(line)
  }

  #dispatch(): Uint8Array | undefined {
    const first = this.#first
    this.#first = undefined
    return this.#joined.length === 0 ? first : this.#joined.take()
  }

  /** Checks before storing. The result does not depend on the chunks. */
  #checkSize(piece: Uint8Array): void {
    const data = this.#joined.length || (this.#first?.length ?? 0)
    if (data + this.#partial.length + piece.length > this.#maxEventBytes) {
      throw new EventTooLargeError(this.#maxEventBytes)
    }
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}

/** An event as received: `type` and all other fields. */
export interface StreamEvent {
  /** Name of the event. */
  readonly type: string
  readonly [field: string]: unknown
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true })

/**
 * Parses the data of an event as JSON.
 * @returns the event. An object with `error` and without `type` becomes an event of the type `error`.
 * @throws ProtocolError unless it is a JSON object with a string `type`
 */
export function parseEvent(data: Uint8Array): StreamEvent {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(data))
  } catch (error) {
    throw new ProtocolError('A stream event is not valid JSON', { cause: error })
  }
  if (isStreamEvent(value)) return value
  // A service that fails in mid-stream may send its ordinary error, which has no type.
  if (typeof value === 'object' && value !== null && 'error' in value) return { ...value, type: 'error' }
  throw new ProtocolError('A stream event has no type')
}

function isStreamEvent(value: unknown): value is StreamEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

const DELTA_START = /* @__PURE__ */ new TextEncoder().encode('{"type":"speech.audio.delta","audio":"')
const QUOTE = 34
const BRACE = 125

/**
 * Reads the audio of a `speech.audio.delta` in its usual spelling, without parsing JSON. Returns `undefined` for any
 * other event; {@link parseEvent} then reads it. Nearly every byte of a stream takes this path.
 * @throws ProtocolError if the audio is not Base64
 */
export function fastDelta(data: Uint8Array): Uint8Array | undefined {
  const end = data.length - 2
  if (end < DELTA_START.length || data[end] !== QUOTE || data[end + 1] !== BRACE) return undefined
  for (let index = 0; index < DELTA_START.length; index += 1) {
    if (data[index] !== DELTA_START[index]) return undefined
  }
  // A quote or an escape means other fields or another spelling. Neither is Base64.
  return decodeBase64(asciiString(data.subarray(DELTA_START.length, end)))
}

/**
 * Decodes the `audio` of a delta.
 * @throws ProtocolError if it is not Base64
 */
export function decodeDelta(audio: unknown): Uint8Array {
  if (typeof audio !== 'string') throw new ProtocolError('A speech.audio.delta event has no audio')
  const bytes = decodeBase64(audio)
  if (bytes === undefined) throw new ProtocolError('The audio of a speech.audio.delta event is not Base64')
  return bytes
}
