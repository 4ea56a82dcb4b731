import type { NarrationFormat } from '../audio/formats.ts'
import { AdtsJoiner } from './adts-joiner.ts'
import { Mp3Joiner } from './mp3-joiner.ts'
import { WavJoiner } from './wav-joiner.ts'

/** Where a segment is in the audio of its page, in seconds. */
export interface Place {
  readonly startSecond: number
  readonly endSecond: number
}

/** The edges of a piece that are silence of the voice, and no pause that the text asks for. */
export interface PieceEdges {
  readonly clipStart: boolean
  readonly clipEnd: boolean
}

/** Joins the audio of segments, in order, without encoding it again. */
export interface Joiner {
  /** Places of the pieces so far. */
  readonly places: readonly Place[]
  /**
   * Adds a piece, with a gap before it unless it is the first.
   * @returns What follows in a stream: the gap and the piece; before the first piece, a header that tells no length.
   * @throws UnjoinableError when the piece is no such audio, or another layout than those before it
   */
  add(piece: Uint8Array, edges: PieceEdges): Uint8Array
  /** The whole file, with its true length and the marking of the first piece. */
  finish(): Uint8Array
}

const JOINERS: Readonly<Partial<Record<NarrationFormat, (gapSeconds: number) => Joiner>>> = {
  wav: (gapSeconds) => new WavJoiner(gapSeconds),
  mp3: (gapSeconds) => new Mp3Joiner(gapSeconds),
  aac: () => new AdtsJoiner(),
}

/** Whether the pieces of a format can be joined. FLAC numbers its frames; browsers misread chained Opus. */
export function canJoin(format: NarrationFormat): boolean {
  return JOINERS[format] !== undefined
}

/** Format of the pieces that a page is made of. FLAC is encoded from joined WAV, as are the formats of an encoder. */
export function pieceFormatOf(format: NarrationFormat, hasEncoder: boolean): NarrationFormat {
  return hasEncoder || format === 'flac' ? 'wav' : format
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
