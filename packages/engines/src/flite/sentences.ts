import { goesOn } from '@svc-audio/core/adapter'
import { lineBreaks } from '@svc-audio/core/text'
import { cutLong, type Join, type TextPiece } from './long-sentences.ts'

/** The language that flite speaks. */
const LANGUAGE = 'en'
const segmenter = new Intl.Segmenter(LANGUAGE, { granularity: 'sentence' })

/**
 * Splits a text into sentences, and long sentences at clauses, so that the first audio is ready soon. Loses and moves
 * no character. Works on any Unicode text in linear time.
 */
export function splitSentences(text: string): TextPiece[] {
  return sentences(text).flatMap((sentence) => {
    const parts = cutLong(sentence)
    const join: Join = lineBreaks(sentence) > 1 ? 'paragraph' : 'sentence'
    return parts.map((part, index) => (index === parts.length - 1 ? { text: part.text, join } : part))
  })
}

function sentences(text: string): string[] {
  const whole: string[] = []
  // Parts of the current sentence, and its last segment. Reading the whole sentence at each join would take quadratic
  // time.
  let parts: string[] = []
  let last = ''
  let opening = true
  for (const { segment } of segmenter.segment(text)) {
    const blank = segment.trim() === ''
    if (!blank && last.trim() !== '') {
      opening = !goesOn(last, segment, opening, LANGUAGE)
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
