import { createHash } from 'node:crypto'

import { frameBytes, type PcmFormat } from '@svc-audio/core/streaming'

import type { SpoolShare } from './spool-budget.ts'
import { Spool } from './spool.ts'

/** `fLaC`, a block header and the whole STREAMINFO block, which is always first (RFC 9639, section 8.2). */
const HEAD_BYTES = 42
const SAMPLE_COUNT_OFFSET = 21
const MD5_OFFSET = 26

/** Counts PCM on its way to the encoder and computes its checksum. */
export class PcmMeter {
  readonly #format: PcmFormat
  readonly #md5 = createHash('md5')
  #bytes = 0

  constructor(format: PcmFormat) {
    this.#format = format
  }

  /** Passes the chunks on. */
  async *measure(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of pcm) {
      this.#bytes += chunk.byteLength
      this.#md5.update(chunk)
      yield chunk
    }
  }

  /** Number of whole frames so far. */
  get frames(): number {
    return Math.floor(this.#bytes / frameBytes(this.#format))
  }

  /** FLAC's checksum, or `undefined` where FLAC's samples differ from the bytes that passed. */
  digest(): Uint8Array | undefined {
    const exact = this.#format.bitDepth === 16 && this.#bytes % frameBytes(this.#format) === 0
    return exact ? this.#md5.digest() : undefined
  }
}

/**
 * Encodes FLAC with the number of samples and their checksum filled in. ffmpeg leaves both empty on a pipe, and players
 * then show no duration and cannot seek. The first byte therefore comes after the last sample.
 */
export async function* flacFile(
  encoded: AsyncIterable<Uint8Array>,
  options: { readonly meter: PcmMeter; readonly signal: AbortSignal; readonly share?: SpoolShare },
): AsyncGenerator<Uint8Array> {
  const spool = new Spool(options.signal, { share: options.share })
  try {
    let head = Buffer.alloc(0)
    for await (const chunk of encoded) {
      const missing = HEAD_BYTES - head.byteLength
      if (missing > 0) head = Buffer.concat([head, chunk.subarray(0, missing)])
      if (chunk.byteLength > missing) await spool.write(chunk.subarray(Math.max(0, missing)))
    }
    yield completed(head, options.meter)
    yield* spool.read()
  } finally {
    await spool.close()
  }
}

/**
 * Fills in the checksum and the 36 bits of the sample count. The count's first byte also holds bits of the bit depth.
 */
function completed(head: Buffer, meter: PcmMeter): Uint8Array {
  if (head.byteLength < HEAD_BYTES || head.toString('latin1', 0, 4) !== 'fLaC') throw new Error('ffmpeg wrote no FLAC')
  const high = Math.floor(meter.frames / 2 ** 32) & 0x0f
  head.writeUInt8((head.readUInt8(SAMPLE_COUNT_OFFSET) & 0xf0) | high, SAMPLE_COUNT_OFFSET)
  head.writeUInt32BE(meter.frames % 2 ** 32, SAMPLE_COUNT_OFFSET + 1)
  const digest = meter.digest()
  if (digest !== undefined) head.set(digest, MD5_OFFSET)
  return head
}
