import type { RecognizedWord } from '@svc-audio/engine-ports'
import type { Heard } from './native-config.ts'

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

/** A word ends where the next one begins, but at most this long after its last token. */
const LONGEST_TOKEN = 0.5

/** Begins a word in the vocabularies of SentencePiece, and in others. */
const WORD_START = /^[\u2581 ]/

/** A language without spaces: each token is a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** A mark that says something about the speech, such as `<|en|>`. */
const MARK = /^<.*>$/

/**
 * Joins the tokens of an utterance to words. A word begins with its first token. Models do not tell where it ends: it
 * ends with the next word or shortly after its last token.
 * @param startSecond Start of the utterance in the audio.
 * @param endSecond Its end.
 */
export function tokenWords({ tokens, timestamps }: Heard, startSecond: number, endSecond: number): RecognizedWord[] {
  const words: { word: string; start: number; last: number }[] = []
  for (const [index, token] of tokens.entries()) {
    const text = token.replaceAll('\u2581', ' ').trim()
    const time = toMilliseconds(startSecond + (timestamps[index] ?? 0))
    const last = words.at(-1)
    if (MARK.test(token)) continue
    const starts = WORD_START.test(token) || last === undefined || UNSPACED.test(text)
    if (starts && (text !== '' || WORD_START.test(token))) words.push({ word: text, start: time, last: time })
    else if (last !== undefined && text !== '') {
      last.word += text
      last.last = time
    }
  }
  const said = words.filter(({ word }) => word !== '')
  return said.map(({ word, start, last }, index) => {
    const next = said[index + 1]?.start ?? endSecond
    const end = toMilliseconds(Math.min(next, last + LONGEST_TOKEN, endSecond))
    return { word, startSecond: start, endSecond: Math.max(start, end) }
  })
}

/** Rounds a time in seconds, which removes binary rounding noise. */
function toMilliseconds(seconds: number): number {
  return Math.round(1000 * seconds) / 1000
}
