import { createHash } from 'node:crypto'
import type { PcmFormat } from '@svc-audio/core/audio'
import { aigcChunk, completeFlacHead, FLAC_HEAD_BYTES, frameBytes, wavHeader } from '@svc-audio/core/adapter'
import { type BufferShare, DiskBuffer } from './disk-buffer.ts'

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

/**
 * Writes PCM as a WAV file with its true sizes. The first byte therefore comes after the last sample.
 *
 * @param aigc Written as UTF-8 into a top-level chunk `AIGC` behind the samples, which players skip.
 * @param signal Frees the stored samples when it aborts.
 * @param share What the samples may use. @default no limit
 * @throws RangeError when the samples exceed the 4 GiB of a WAV file, or have 8 bits, which WAV stores unsigned.
 */
export async function* wavFile(
  pcm: AsyncIterable<Uint8Array>,
  options: {
    readonly format: PcmFormat
    readonly aigc: string | undefined
    readonly signal: AbortSignal
    readonly share?: BufferShare
  },
): AsyncGenerator<Uint8Array> {
  const { format, aigc, signal, share } = options
  if (format.bitDepth === 8) throw new RangeError('A WAV file of 8-bit PCM is not supported: use 16, 24 or 32 bits')
  const marking = aigcChunk(aigc)
  const buffer = new DiskBuffer(signal, { share })
  try {
    for await (const chunk of pcm) await buffer.write(chunk)
    yield wavHeader(format, buffer.byteLength, marking.byteLength)
    yield* buffer.read()
    if (buffer.byteLength % 2 === 1) yield new Uint8Array(1)
    if (marking.byteLength > 0) yield marking
  } finally {
    await buffer.close()
  }
}
