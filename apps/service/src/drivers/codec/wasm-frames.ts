import type { LaunchRequest } from './launcher.ts'

/**
 * Input and output of a loaded ffmpeg: frames of a length (32 bits, little-endian) and bytes. A frame without bytes is
 * the end of the input, or the success of a run.
 */

/** Length of a frame's header, in bytes. */
export const FRAME_HEADER_BYTES = 4

/** A frame without bytes. */
export const END_FRAME: Buffer = Buffer.alloc(FRAME_HEADER_BYTES)

/** Makes the header of a frame. */
export function frameHeader(length: number): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  header.writeUInt32LE(length)
  return header
}

/** Reads frames from a stream. */
export class FrameReader {
  readonly #source: AsyncIterable<Buffer>
  #chunks: AsyncIterator<Buffer> | undefined
  #rest: Buffer = Buffer.alloc(0)
  /** Missing bytes of the current frame. */
  #left = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source
  }

  /** Reads the next bytes of a frame. Returns `end` for a frame without bytes, `undefined` when the stream ends. */
  async read(): Promise<Buffer | 'end' | undefined> {
    if (this.#left === 0) {
      if (!(await this.#fill(FRAME_HEADER_BYTES))) return undefined
      this.#left = this.#rest.readUInt32LE()
      this.#rest = this.#rest.subarray(FRAME_HEADER_BYTES)
      if (this.#left === 0) return 'end'
    }
    if (!(await this.#fill(1))) return undefined
    const piece = this.#rest.subarray(0, this.#left)
    this.#left -= piece.byteLength
    this.#rest = this.#rest.subarray(piece.byteLength)
    return piece
  }

  /** Waits for that many bytes. Returns whether they came. */
  async #fill(bytes: number): Promise<boolean> {
    this.#chunks ??= this.#source[Symbol.asyncIterator]()
    while (this.#rest.byteLength < bytes) {
      const next = await this.#chunks.next()
      if (next.done === true) return false
      this.#rest = this.#rest.byteLength === 0 ? next.value : Buffer.concat([this.#rest, next.value])
    }
    return true
  }
}

/** The last line of a run on standard error: all its messages have come. */
export const END_OF_MESSAGES = '\u0004'

const LENGTH_BYTES = 4

/** Exit code of a child that could not load ffmpeg. It says nothing about the input. */
export const CANNOT_LOAD = 71

/** Name of the input file inside the WebAssembly build, whatever its path on this machine. */
export const WASM_INPUT_PATH = '/input'

/**
 * Encodes a request: its length (32 bits, little-endian), then JSON. A child reads it first from its standard input;
 * ffmpeg's input follows. A child can therefore start before it has work. It exits by itself when its parent dies,
 * because its standard input ends.
 */
export function encodeRequest(request: LaunchRequest): Buffer {
  const json = Buffer.from(JSON.stringify(request))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.byteLength)
  return Buffer.concat([length, json])
}

/**
 * Reads a request.
 *
 * @param readExactly Returns the next `length` bytes, or `undefined` when the input ends earlier.
 * @returns `undefined` when the input ended without a request.
 */
export function readRequest(readExactly: (length: number) => Buffer | undefined): LaunchRequest | undefined {
  const length = readExactly(LENGTH_BYTES)?.readUInt32LE()
  const json = length === undefined ? undefined : readExactly(length)
  if (json === undefined) return undefined
  const request: unknown = JSON.parse(json.toString())
  if (!isRequest(request)) throw new TypeError('This program needs a request from the service on standard input')
  return request
}

function isRequest(value: unknown): value is LaunchRequest {
  return typeof value === 'object' && value !== null && 'args' in value && Array.isArray(value.args)
}
