/** A silence of the voice, in seconds. */
export interface Pause {
  readonly startSecond: number
  readonly endSecond: number
}

/** Where a segment is in the audio of its page, in seconds. */
export interface Place {
  readonly startSecond: number
  readonly endSecond: number
  /** Pauses inside the segment, in order. Absent where the format does not show them. */
  readonly pauses?: readonly Pause[]
}

/** Shortest pause, in seconds: that of a voice at a comma. Shorter silences belong to consonants. */
export const SHORTEST_PAUSE = 0.07

/**
 * The pauses of a segment from the parts of its audio that are silent.
 * @param isSilent Whether each part of the audio is silent, in order.
 * @param partSeconds Length of a part.
 * @param startSecond Start of the first part.
 */
export function pausesOf(isSilent: readonly boolean[], partSeconds: number, startSecond: number): Pause[] {
  const pauses: Pause[] = []
  let from = -1
  for (const [index, silent] of [...isSilent, false].entries()) {
    if (silent && from === -1) from = index
    if (silent || from === -1) continue
    // The silence at the edges of a segment is no pause inside.
    const isInside = from > 0 && index < isSilent.length
    if (isInside && (index - from) * partSeconds >= SHORTEST_PAUSE) {
      pauses.push({
        startSecond: round(startSecond + from * partSeconds),
        endSecond: round(startSecond + index * partSeconds),
      })
    }
    from = -1
  }
  return pauses
}

/** A place with its pauses, if it has any. */
export function placeOf(startSecond: number, endSecond: number, pauses: readonly Pause[]): Place {
  return pauses.length === 0 ? { startSecond, endSecond } : { startSecond, endSecond, pauses }
}

/** Whole milliseconds, so that the cache stays small. */
function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** The edges of a piece that are silence of the voice, and no pause that the text asks for. */
export interface PieceEdges {
  readonly clipStart: boolean
  readonly clipEnd: boolean
  /** Whether the piece continues the paragraph of the piece before it: no gap stands between them. */
  readonly continues?: boolean
}

/** Silence between two pieces of a sentence whose own silence is clipped, in seconds. */
export const CONTINUED_GAP = 0.1

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
