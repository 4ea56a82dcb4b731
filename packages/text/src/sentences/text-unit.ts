/** Ends of a unit of text. A higher value is a better place to cut. */
export const ENDS = { cut: 0, clause: 1, sentence: 2, paragraph: 3 } as const

/** A sentence, or a part of a long sentence. */
export interface TextUnit {
  /** Without the white space around it. */
  readonly text: string
  /** Start in the whole text. */
  readonly start: number
  /** One of {@link ENDS}. */
  readonly end: number
}
