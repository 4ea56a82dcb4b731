import { goesOn } from '@svc-audio/core/adapter'
import { lineBreaks, splitPauses } from '@svc-audio/core/text'

/** One step of a stream, in order. */
export type SpeechStep =
  | {
      /** Speech of one utterance. */
      readonly type: 'speech'
      /** Its text, as the engine gets it. */
      readonly text: string
    }
  | {
      /** A natural gap between two pieces of speech. */
      readonly type: 'gap'
      /** Its length at speed 1. It follows the speed. */
      readonly seconds: number
    }
  | {
      /** Requested silence. */
      readonly type: 'pause'
      /** Its length. It does not follow the speed. */
      readonly seconds: number
    }

/** A part of a text that an engine speaks in one utterance. */
export interface TextPiece {
  /** The text with the white space that follows it. All pieces together are the whole text. */
  readonly text: string
  /** The join with the next piece: a longer gap follows a later one of this list. */
  readonly join: 'cut' | 'clause' | 'sentence' | 'paragraph'
}

/** Gaps at speed 1, in seconds. The margins of speech add 0.08 s. */
const GAP_SECONDS: Readonly<Record<TextPiece['join'], number>> = { cut: 0, clause: 0.08, sentence: 0.2, paragraph: 0.5 }

/**
 * Plans the speech of a text. Drops pieces without anything to speak. Adds no gap beside a pause, so that the pause has
 * its requested length.
 * @param pauses Whether `[pause X.Ys]` markers are pauses. Otherwise they are text.
 * @param speakable Converts a sentence to the input of the engine; to the empty string when nothing would be heard.
 * @param language Language of the text: its sentences end where that language ends them. @default 'en'
 * @returns No step when nothing would be heard.
 */
export function planSpeech(
  text: string,
  pauses: boolean,
  speakable: (sentence: string) => string,
  language?: string,
): SpeechStep[] {
  const steps: SpeechStep[] = []
  for (const part of pauses ? splitPauses(text) : [{ type: 'text' as const, text }]) {
    if (part.type === 'pause') steps.push({ type: 'pause', seconds: part.seconds })
    else addText(steps, splitSentences(part.text, language), speakable)
  }
  return steps
}

function addText(steps: SpeechStep[], pieces: readonly TextPiece[], toInput: (sentence: string) => string): void {
  // No gap before the first piece, which follows a pause or nothing.
  let gap: number | undefined
  for (const piece of pieces) {
    const speakable = toInput(piece.text)
    if (speakable !== '') {
      if (gap !== undefined && gap > 0) steps.push({ type: 'gap', seconds: gap })
      steps.push({ type: 'speech', text: speakable })
      gap = GAP_SECONDS[piece.join]
    } else if (gap !== undefined) gap = Math.max(gap, GAP_SECONDS[piece.join])
  }
}

const segmenters = new Map<string, Intl.Segmenter>()

/** @throws RangeError for a text that is no language tag */
function segmenterOf(language: string): Intl.Segmenter {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'sentence' })
  segmenters.set(language, segmenter)
  return segmenter
}

/**
 * Splits a text into sentences, and long sentences at clauses, so that the first audio is ready soon. Loses and moves
 * no character. Works on any Unicode text in linear time.
 * @param language A BCP 47 tag. @default 'en'
 */
export function splitSentences(text: string, language: string = 'en'): TextPiece[] {
  return sentences(text, language).flatMap((sentence) => {
    const parts = cutLong(sentence)
    const join = lineBreaks(sentence) > 1 ? 'paragraph' : 'sentence'
    return parts.map((part, index) => (index === parts.length - 1 ? { text: part.text, join } : part))
  })
}

function sentences(text: string, language: string): string[] {
  const whole: string[] = []
  // Parts of the current sentence, and its last segment. Reading the whole sentence at each join would take quadratic
  // time.
  let parts: string[] = []
  let last = ''
  let opening = true
  for (const { segment } of segmenterOf(language).segment(text)) {
    const blank = segment.trim() === ''
    if (!blank && last.trim() !== '') {
      opening = !goesOn(last, segment, opening, language)
      if (opening) {
        whole.push(parts.join(''))
        parts = []
      }
    }
    parts.push(segment)
    last = blank ? last + segment : segment
  }
  if (parts.length > 0) whole.push(parts.join(''))
  return whole
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
