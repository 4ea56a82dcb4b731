import { viewOf } from './bytes.ts'
import type { PcmFormat } from './pcm-format.ts'
import { wavChunks } from './wav-chunks.ts'

/** What a WAV file says before its samples. */
export interface WavHead {
  /** Layout of the samples. 8-bit samples are unsigned in the file. */
  readonly format: PcmFormat
  /** Kind of samples: 1 is PCM, 3 float, 6 A-law, 7 µ-law. The other ones pack blocks of samples. */
  readonly kind: number
  /** Offset of the first sample, in bytes. */
  readonly samplesAt: number
  /** Bytes of samples. `undefined` if the writer of a stream did not know it: they reach to the end. */
  readonly sampleBytes: number | undefined
}

/** Encoders write this size and larger ones as placeholders. */
const LEAST_PLACEHOLDER = 0x7f_00_00_00
const EXTENSIBLE = 0xff_fe

/**
 * Reads the start of a WAV file.
 *
 * @param file The file, or its first bytes.
 * @returns `undefined` for another file, for one without a format, and where the samples begin behind these bytes
 */
export function readWavHead(file: Uint8Array): WavHead | undefined {
  const view = viewOf(file)
  let said: Pick<WavHead, 'format' | 'kind'> | undefined
  for (const { id, start, size } of wavChunks(file)) {
    if (id === 'data')
      return said && { ...said, samplesAt: start, sampleBytes: size < LEAST_PLACEHOLDER ? size : undefined }
    if (id === 'fmt ' && size >= 16 && start + 16 <= file.byteLength) said = readFormat(view, start)
  }
  return undefined
}

function readFormat(view: DataView, at: number): Pick<WavHead, 'format' | 'kind'> {
  const tag = view.getUint16(at, true)
  return {
    format: {
      sampleRate: view.getUint32(at + 4, true),
      channels: view.getUint16(at + 2, true),
      bitDepth: view.getUint16(at + 14, true),
    },
    // The kind of an extensible format begins its GUID.
    kind: tag === EXTENSIBLE && at + 26 <= view.byteLength ? view.getUint16(at + 24, true) : tag,
  }
}
