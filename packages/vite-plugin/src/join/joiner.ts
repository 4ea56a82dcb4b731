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
