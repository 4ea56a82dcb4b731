import type { PcmFormat } from './pcm-format.ts'
import { wavChunks } from './wav-chunks.ts'

/** What a WAV file says before its samples. */
export interface WavHead {
  /** Layout of the samples. 8-bit samples are unsigned in the file. */
  readonly format: PcmFormat
  /** Offset of the first sample, in bytes. */
  readonly samplesAt: number
  /** Bytes of samples. `undefined` if the writer of a stream did not know it: they reach to the end. */
  readonly sampleBytes: number | undefined
}

/** Encoders write this size and larger ones as placeholders. */
const LEAST_PLACEHOLDER = 0x7f_00_00_00

/**
 * Reads the start of a WAV file.
 *
 * @param file The file, or its first bytes.
 * @returns `undefined` for another file, for one without a format, and where the samples begin behind these bytes
 */
export function readWavHead(file: Uint8Array): WavHead | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let format: PcmFormat | undefined
  for (const { id, start, size } of wavChunks(file)) {
    if (id === 'data')
      return format && { format, samplesAt: start, sampleBytes: size < LEAST_PLACEHOLDER ? size : undefined }
    if (id === 'fmt ' && size >= 16 && start + 16 <= file.byteLength)
      format = {
        sampleRate: view.getUint32(start + 4, true),
        channels: view.getUint16(start + 2, true),
        bitDepth: view.getUint16(start + 14, true),
      }
  }
  return undefined
}
