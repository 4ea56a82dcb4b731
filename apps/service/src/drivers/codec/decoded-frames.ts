/**
 * Decoded sound as ffmpeg hands it over: the format SMJPEG, the simplest one that keeps the time of each piece of PCM on a
 * pipe. A file is a header, then pieces: `sndD`, a time in milliseconds, a length (both 32 bits, big-endian), samples.
 */

/** A piece of decoded sound: signed 16-bit samples at 16 kHz. */
export interface DecodedFrame {
  /** Where the piece begins, in milliseconds of the file's time line. Negative before its zero. */
  readonly milliseconds: number
  /** 1 or 2 channels, interleaved. */
  readonly channels: number
  readonly samples: Buffer
}

const MAGIC_BYTES = 16
const PIECE = 'sndD'
const PIECE_HEADER_BYTES = 12
const SOUND_HEADER = '_SND'
const HEADER_END = 'HEND'
const END = 'DONE'

/** Reads pieces of any length, and returns frames as they become complete. */
export class FrameParser {
  #rest: Buffer = Buffer.alloc(0)
  #begun = false
  #channels = 1

  /** @throws Error when the bytes are no SMJPEG */
  read(chunk: Uint8Array): DecodedFrame[] {
    const bytes = this.#rest.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    const frames: DecodedFrame[] = []
    let at = 0
    if (!this.#begun && bytes.byteLength >= MAGIC_BYTES) {
      if (bytes.toString('latin1', 2, 8) !== 'SMJPEG') throw new Error('ffmpeg did not write SMJPEG')
      this.#begun = true
      at = MAGIC_BYTES
    }
    while (this.#begun) {
      const length = this.#readPart(bytes, at, frames)
      if (length === undefined) break
      at += length
    }
    this.#rest = bytes.subarray(at)
    return frames
  }

  /** Reads one part. Returns its length, or `undefined` while it is incomplete. */
  #readPart(bytes: Buffer, at: number, frames: DecodedFrame[]): number | undefined {
    if (bytes.byteLength < at + 4) return undefined
    const tag = bytes.toString('latin1', at, at + 4)
    if (tag === HEADER_END || tag === END) return 4
    if (bytes.byteLength < at + PIECE_HEADER_BYTES) return undefined
    if (tag !== PIECE) {
      const end = at + 8 + bytes.readUInt32BE(at + 4)
      if (bytes.byteLength < end) return undefined
      if (tag === SOUND_HEADER) this.#channels = bytes.readUInt8(at + 11)
      return end - at
    }
    const start = at + PIECE_HEADER_BYTES
    const end = start + bytes.readUInt32BE(at + 8)
    if (bytes.byteLength < end) return undefined
    frames.push({
      milliseconds: bytes.readInt32BE(at + 4),
      channels: this.#channels,
      samples: bytes.subarray(start, end),
    })
    return end - at
  }
}
