import type { RecognizedWord } from '@svc-audio/engine-ports'

/** Formats a keyterm's name in the dictionary. It is a word of no language, whatever the term is. */
export function keytermToken(index: number): string {
  return `#${index}`
}

const TOKEN = /^#(\d+)$/

/**
 * Restores the spelling of keyterms in recognized words. Replaces a keyterm's token, and a row of plain words that
 * equals a term except for case.
 */
export function spellKeyterms(words: readonly RecognizedWord[], keyterms: readonly string[]): RecognizedWord[] {
  const terms = keyterms.map((term) => ({ term, parts: term.toLowerCase().split(/\s+/) }))
  // The longest term first: a part of another term must not take words from it.
  terms.sort((one, other) => other.parts.length - one.parts.length)
  const spelled: RecognizedWord[] = []
  for (let at = 0; at < words.length;) {
    const found = terms.find(({ parts }) => parts.every((part, index) => words[at + index]?.word === part))
    const run = words.slice(at, at + (found?.parts.length ?? 1))
    const [first, last] = [run[0], run.at(-1)]
    if (first !== undefined && last !== undefined) {
      const word = found?.term ?? keyterms[Number(TOKEN.exec(first.word)?.[1])] ?? first.word
      spelled.push({ word, startSecond: first.startSecond, endSecond: last.endSecond })
    }
    at += run.length
  }
  return spelled
}
