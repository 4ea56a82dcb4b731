import { goesOn } from '@svc-audio/core/adapter'
import { lineBreaks } from '@svc-audio/core/text'
import { cutLong, type Join, type TextPiece } from './long-sentences.ts'

/** The language that flite speaks. */
const LANGUAGE = 'en'
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
export function splitSentences(text: string, language: string = LANGUAGE): TextPiece[] {
  return sentences(text, language).flatMap((sentence) => {
    const parts = cutLong(sentence)
    const join: Join = lineBreaks(sentence) > 1 ? 'paragraph' : 'sentence'
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
