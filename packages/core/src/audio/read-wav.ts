import { type PcmFormat, pcmSeconds } from './pcm-format.ts'
import { readWavHead } from './wav-head.ts'

/** What a WAV file holds. */
export interface WavContent extends PcmFormat {
  /** Whether the samples are integers. */
  readonly isPcm: boolean
  /** The samples, interleaved: a view of the file. */
  readonly samples: Uint8Array
  /** Bytes of samples that the header tells of and the file lacks. 0 for the header of a stream, which tells no size. */
  readonly missingBytes: number
}

const PCM = 1
/** Kinds whose length follows from the number of bytes: PCM, float, A-law and µ-law. ADPCM packs blocks. */
const EVEN_KINDS = new Set([PCM, 3, 6, 7])

/**
 * Reads a WAV file. Samples of an unknown size, as writers to a pipe leave it, reach to the end.
 *
 * @returns `undefined` for anything else, and for kinds of samples whose length the bytes do not tell
 */
export function readWav(file: Uint8Array): WavContent | undefined {
  const head = readWavHead(file)
  if (head === undefined) return undefined
  const { format, kind, samplesAt, sampleBytes } = head
  const { channels, sampleRate, bitDepth } = format
  if (!EVEN_KINDS.has(kind) || channels === 0 || sampleRate === 0 || bitDepth === 0 || bitDepth % 8 !== 0)
    return undefined
  const samples = file.subarray(samplesAt, samplesAt + (sampleBytes ?? file.byteLength))
  return {
    ...format,
    isPcm: kind === PCM,
    samples,
    missingBytes: (sampleBytes ?? samples.byteLength) - samples.byteLength,
  }
}

/** Length of a WAV file, in seconds; `undefined` when {@link readWav} cannot read it. */
export function wavSeconds(file: Uint8Array): number | undefined {
  const content = readWav(file)
  return content && pcmSeconds(content, content.samples.byteLength)
}
