import { distance } from 'fastest-levenshtein'

/** Errors of a text against its transcript. */
export interface TextErrors {
  /** Words that are missing, added or wrong. */
  readonly wordErrors: number
  /** Words of the transcript. */
  readonly words: number
  readonly characterErrors: number
  readonly characters: number
}

/** Counts the errors of a recognized text. Case, punctuation and spaces between words do not count. */
export function textErrors(transcript: string, heard: string): TextErrors {
  const [right, given] = [wordsOf(transcript), wordsOf(heard)]
  const codes = new Map<string, string>()
  const encode = (words: readonly string[]): string => words.map((word) => codeOf(codes, word)).join('')
  const [rightCharacters, givenCharacters] = [right.join(''), given.join('')]
  return {
    wordErrors: distance(encode(right), encode(given)),
    words: right.length,
    characterErrors: distance(rightCharacters, givenCharacters),
    characters: rightCharacters.length,
  }
}

/** Adds the errors of several recordings. */
export function sumErrors(all: readonly TextErrors[]): TextErrors {
  const sum = (key: keyof TextErrors): number => all.reduce((total, one) => total + one[key], 0)
  return {
    wordErrors: sum('wordErrors'),
    words: sum('words'),
    characterErrors: sum('characterErrors'),
    characters: sum('characters'),
  }
}

/** The words of a text in small letters, without punctuation. */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('\u2019', "'")
    .replaceAll(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim()
  return plain === '' ? [] : plain.split(' ')
}

/** A distance counts UTF-16 code units, so each distinct word is one. */
function codeOf(codes: Map<string, string>, word: string): string {
  const code = codes.get(word) ?? String.fromCharCode(codes.size + 1)
  codes.set(word, code)
  return code
}
