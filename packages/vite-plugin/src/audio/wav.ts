import { wavChunks } from '@svc-audio/core/streaming'
import { UnjoinableError } from '../join/unjoinable-error.ts'
import { viewOf } from './bytes.ts'

/** What a WAV file holds. */
export interface WavContent {
  /** Samples per second, in Hz. */
  readonly sampleRate: number
  readonly channels: number
  /** Bits of a sample. */
  readonly bitDepth: number
  /** Whether the samples are integers, the kind that can be joined. */
  readonly isPcm: boolean
  /** The samples, interleaved. */
  readonly samples: Uint8Array
  /** Bytes of samples that the header tells of and the file lacks. 0 for a header of a pipe, which tells no size. */
  readonly missingBytes: number
}

type Format = Omit<WavContent, 'samples' | 'missingBytes'>

const PCM = 1
/** Sizes from here on, of 2 GiB and more, stand for a size that the writer did not know. */
const UNKNOWN_SIZE = 0x7f_00_00_00
/** Kinds whose length follows from the number of bytes: PCM, float, A-law and µ-law. ADPCM packs blocks. */
const EVEN_KINDS = new Set([PCM, 3, 6, 7])
const EXTENSIBLE = 0xff_fe

/**
 * Reads a WAV file. A `data` size beyond the end of the file, as writers to a pipe leave it, counts up to the end.
 * @returns `undefined` for anything else, and for kinds of samples whose length the bytes do not tell
 */
export function readWav(file: Uint8Array): WavContent | undefined {
  let format: Format | undefined
  for (const { id, start, size } of wavChunks(file)) {
    if (id === 'fmt ' && size >= 16 && start + 16 <= file.byteLength) format = readFormat(viewOf(file), start)
    if (id === 'data') {
      if (format === undefined) return undefined
      const missingBytes = size >= UNKNOWN_SIZE ? 0 : Math.max(0, start + size - file.byteLength)
      return { ...format, samples: file.subarray(start, Math.min(start + size, file.byteLength)), missingBytes }
    }
  }
  return undefined
}

/**
 * Reads a WAV file whose samples can be joined and encoded.
 * @throws UnjoinableError unless it is 16-bit PCM
 */
export function readJoinable(file: Uint8Array): WavContent {
  const content = readWav(file)
  if (content?.isPcm === true && content.bitDepth === 16) return content
  throw new UnjoinableError('wav', 'a segment is not 16-bit PCM')
}

/** Length of a WAV file, in seconds; `undefined` when {@link readWav} cannot read it. */
export function wavSeconds(file: Uint8Array): number | undefined {
  const content = readWav(file)
  if (content === undefined) return undefined
  const { sampleRate, channels, bitDepth, samples } = content
  return samples.byteLength / (sampleRate * channels * (bitDepth / 8))
}

function readFormat(view: DataView, at: number): Format | undefined {
  const tag = view.getUint16(at, true)
  // The kind of an extensible format begins its GUID.
  const kind = tag === EXTENSIBLE && at + 26 <= view.byteLength ? view.getUint16(at + 24, true) : tag
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const bitDepth = view.getUint16(at + 14, true)
  if (!EVEN_KINDS.has(kind) || channels === 0 || sampleRate === 0 || bitDepth === 0 || bitDepth % 8 !== 0)
    return undefined
  return { sampleRate, channels, bitDepth, isPcm: kind === PCM }
}
