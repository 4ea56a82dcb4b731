import { readWav } from '@svc-audio/core/audio'
import { type Encode, runEncoder } from './encoder.ts'
import { encodeFlac, openFlacStream } from './flac.ts'
import type { NarrationFormat } from './formats.ts'
import { AdtsJoiner, Mp3Joiner } from './frame-joiners.ts'
import type { Joiner, PieceEdges, Place } from './joiner.ts'
import { toLoudness } from './loudness.ts'
import { encodeOpus, OpusEncoder } from './opus.ts'
import { type PcmEncoder, type PcmLayout, toSamples, WavJoiner } from './wav.ts'

export { checkFfmpeg, type Encode, ffmpeg } from './encoder.ts'
export { audioSeconds, extensionOf, FORMATS, isNarrationFormat, mediaType, type NarrationFormat } from './formats.ts'
export { type Pause, type PieceEdges, type Place, SHORTEST_PAUSE } from './joiner.ts'

const JOINERS: Readonly<Partial<Record<NarrationFormat, (gapSeconds: number) => Joiner>>> = {
  wav: (gapSeconds) => new WavJoiner(gapSeconds),
  mp3: (gapSeconds) => new Mp3Joiner(gapSeconds),
  aac: () => new AdtsJoiner(),
}

/**
 * Format of the pieces that a page is made of. FLAC numbers its frames, and browsers misread chained Opus: both are encoded
 * from joined WAV, as are the formats of an encoder.
 */
export function pieceFormatOf(format: NarrationFormat, hasEncoder: boolean): NarrationFormat {
  return hasEncoder || JOINERS[format] === undefined ? 'wav' : format
}

/**
 * A joiner for pieces of a format.
 * @param gapSeconds Silence between two pieces. AAC has none beside that of its pieces.
 */
export function createJoiner(format: NarrationFormat, gapSeconds: number): Joiner {
  const create = JOINERS[format]
  if (create === undefined) throw new TypeError(`${format} cannot be joined`)
  return create(gapSeconds)
}

/** How pieces become the audio of a page. */
export interface PageAudioOptions {
  readonly pieceFormat: NarrationFormat
  readonly format: NarrationFormat
  readonly gapSeconds: number
  /** Loudness in LUFS, of WAV pieces. @default that of the pieces */
  readonly loudness?: number | undefined
  /** Encodes the page. @default the plugin's own encoders */
  readonly encode?: Encode | undefined
}

/**
 * Joins pieces to the audio of a page, and encodes it.
 * @throws UnjoinableError for pieces that do not fit together, and EncoderError
 */
export async function joinPage(
  pieces: Iterable<{ readonly audio: Uint8Array; readonly edges: PieceEdges }>,
  { pieceFormat, format, gapSeconds, loudness, encode }: PageAudioOptions,
): Promise<{ readonly audio: Uint8Array; readonly places: readonly Place[] }> {
  const joiner = createJoiner(pieceFormat, gapSeconds)
  for (const { audio, edges } of pieces) joiner.add(audio, edges)
  const joined = joiner.finish()
  if (loudness !== undefined) toLoudness(joined, loudness)
  return { audio: await encoded(joined, format, encode), places: joiner.places }
}

async function encoded(joined: Uint8Array, format: NarrationFormat, encode?: Encode): Promise<Uint8Array> {
  if (encode !== undefined) return runEncoder(encode, joined, format)
  if (format === 'opus') return encodeOpus(joined)
  return format === 'flac' ? encodeFlac(joined) : joined
}

/** Encodes what a joiner streams, for the formats that are made from WAV; `undefined` for the others. */
export function streamEncoder(format: NarrationFormat): WavEncoder | undefined {
  if (format === 'flac') return new WavEncoder(openFlacStream)
  return format === 'opus' ? new WavEncoder((layout) => OpusEncoder.open(layout)) : undefined
}

/** Encodes a WAV file while it comes. Its head tells no length and no marking, as that of the WAV. */
export class WavEncoder {
  readonly #open: (layout: PcmLayout) => Promise<PcmEncoder>
  #encoder: PcmEncoder | undefined

  constructor(open: (layout: PcmLayout) => Promise<PcmEncoder>) {
    this.#open = open
  }

  /**
   * Encodes what came.
   * @param bytes First the head of the WAV file and samples, then samples.
   * @returns What is complete: an encoder holds back up to a second of speech.
   */
  async write(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#encoder !== undefined) return this.#encoder.encode(toSamples(bytes))
    const content = readWav(bytes)
    if (content === undefined) throw new TypeError('There is no WAV to encode')
    this.#encoder = await this.#open(content)
    return Buffer.concat([this.#encoder.head(), this.#encoder.encode(toSamples(content.samples))])
  }

  /** What the encoder held back. */
  end(): Uint8Array {
    return this.#encoder?.end() ?? new Uint8Array()
  }

  /** Frees the memory of the encoder. */
  close(): void {
    this.#encoder?.close()
    this.#encoder = undefined
  }
}
