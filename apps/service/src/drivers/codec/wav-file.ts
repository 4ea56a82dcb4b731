import { aigcChunk, type PcmFormat, wavHeader } from '@svc-audio/core/audio'

import type { BufferShare } from './buffer-budget.ts'
import { DiskBuffer } from './disk-buffer.ts'

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
