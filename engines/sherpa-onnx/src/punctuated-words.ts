import type { RecognizedWord } from '@svc-audio/engine-ports'

/** A mark of Chinese writing after a letter or digit of another script, and the mark that this script has. */
const FOREIGN_MARK = /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{N}])\s*[，。？、]/gu
const MARKS: Readonly<Record<string, string>> = { '，': ',', '。': '.', '？': '?', '、': ',' }

/** What a word consists of. */
const LETTERS = /[\p{L}\p{M}\p{N}]/gu

/**
 * Models for Chinese and English write the marks of Chinese everywhere. Returns the text with the marks of its letters.
 */
export function ownMarks(text: string): string {
  return text
    .replaceAll(FOREIGN_MARK, (mark) => `${MARKS[mark.trim()]} `)
    .replaceAll(/ {2,}/g, ' ')
    .trim()
}

/**
 * Writes the words as they stand in the text with punctuation. The times stay. Words that are not those of the text are
 * returned as they are.
 */
export function punctuatedWords(words: readonly RecognizedWord[], text: string): readonly RecognizedWord[] {
  let rest = text
  const written: RecognizedWord[] = []
  for (const one of words) {
    const count = letters(one.word).length
    const part = takeLetters(rest, count)
    if (letters(part).join('').toLowerCase() !== letters(one.word).join('').toLowerCase()) return words
    written.push({ ...one, word: part.trim() })
    rest = rest.slice(part.length)
  }
  return letters(rest).length === 0 ? written : words
}

function letters(text: string): string[] {
  return text.match(LETTERS) ?? []
}

/** The start of a text with so many letters, and the marks behind them. An opening mark belongs to the next word. */
function takeLetters(text: string, count: number): string {
  const last = Array.from(text.matchAll(LETTERS)).at(count - 1)
  if (count === 0 || last === undefined) return ''
  const end = last.index + last[0].length
  const marks = /^[^\p{L}\p{M}\p{N}\s]*/u.exec(text.slice(end))?.[0] ?? ''
  return text.slice(0, end + marks.length)
}
