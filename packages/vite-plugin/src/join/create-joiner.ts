import type { NarrationFormat } from '../audio/formats.ts'
import { AdtsJoiner } from './adts-joiner.ts'
import type { Joiner } from './joiner.ts'
import { Mp3Joiner } from './mp3-joiner.ts'
import { WavJoiner } from './wav-joiner.ts'

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
