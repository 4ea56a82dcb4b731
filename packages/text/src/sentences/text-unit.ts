/** What ends a unit of text; the higher, the better a place to cut. */
export const ENDS = { cut: 0, clause: 1, sentence: 2, paragraph: 3 } as const

/** A sentence, or a part of one that is too long. */
export interface TextUnit {
  /** Without the white space around it. */
  readonly text: string
  /** Where it begins in the whole text. */
  readonly start: number
  /** One of {@link ENDS}. */
  readonly end: number
}
