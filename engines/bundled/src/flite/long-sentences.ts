/** The join between a piece and the next one. Later joins have longer gaps. */
export type Join = 'cut' | 'clause' | 'sentence' | 'paragraph'

/** A part of a text that flite speaks in one utterance. */
export interface TextPiece {
  /** The text with the white space that follows it. All pieces together are the whole text. */
  readonly text: string
  /** The join with the next piece. A longer gap follows a later one. */
  readonly join: Join
}

/** Largest weight of one utterance: about 13 s of speech, made in 0.15 to 0.3 s. */
const LIMIT = 200
/**
 * Above {@link LIMIT}, a piece ends at the last clause or word before this weight, or else at the first one after it.
 */
const TARGET = 120
/** No cut makes a piece shorter than this. */
const SHORTEST = 30

/** A digit, or a sign that is read as a word, takes four times as long as a letter. */
const LONG_SPOKEN = /[\p{N}#$%&*+/=@\\^_|~]/u
const CLAUSE_END = /[,;:.!?…—–)\]]["'”’»]*\s$/u

/**
 * Cuts a sentence that is too long for one utterance: at clauses, or else between words, or else anywhere, but never
 * inside a character. The caller sets the join of the last part.
 */
export function cutLong(sentence: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let rest = sentence
  for (let cut = findCut(rest); cut !== undefined; cut = findCut(rest)) {
    pieces.push({ text: rest.slice(0, cut.at), join: cut.join })
    rest = rest.slice(cut.at)
  }
  pieces.push({ text: rest, join: 'cut' })
  return pieces
}

interface Cut {
  readonly at: number
  readonly join: 'clause' | 'cut'
}

function findCut(text: string): Cut | undefined {
  let weight = 0
  let at = 0
  let clause: number | undefined
  let word: number | undefined
  for (const character of text) {
    if (weight >= LIMIT) return chooseCut(clause, word, at)
    at += character.length
    weight += LONG_SPOKEN.test(character) ? 4 : 1
    if (weight < SHORTEST || !/\s/u.test(character)) continue
    if (weight <= TARGET || word === undefined) word = at
    if (!CLAUSE_END.test(text.slice(Math.max(0, at - 4), at))) continue
    if (weight <= TARGET || clause === undefined) clause = at
  }
  return undefined
}

function chooseCut(clause: number | undefined, word: number | undefined, limit: number): Cut {
  if (clause !== undefined) return { at: clause, join: 'clause' }
  return { at: word ?? limit, join: 'cut' }
}
