import { createHash } from 'node:crypto'

import { completeFlacHead, FLAC_HEAD_BYTES, frameBytes, type PcmFormat } from '@svc-audio/core/audio'

import type { BufferShare } from './buffer-budget.ts'
import { DiskBuffer } from './disk-buffer.ts'

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
  options: { readonly meter: PcmMeter; readonly signal: AbortSignal; readonly share?: BufferShare },
): AsyncGenerator<Uint8Array> {
  const buffer = new DiskBuffer(options.signal, { share: options.share })
  try {
    let head = Buffer.alloc(0)
    for await (const chunk of encoded) {
      const missing = FLAC_HEAD_BYTES - head.byteLength
      if (missing > 0) head = Buffer.concat([head, chunk.subarray(0, missing)])
      if (chunk.byteLength > missing) await buffer.write(chunk.subarray(Math.max(0, missing)))
    }
    completeFlacHead(head, options.meter.frames, options.meter.digest())
    yield head
    yield* buffer.read()
  } finally {
    await buffer.close()
  }
}
