/**
 * How wrong a transcript is: the least number of words to put in, take out or replace, divided by the words of the
 * reference. 0 is perfect; it can exceed 1. Case, punctuation and hyphens do not count. Infinite when nothing was said
 * but something was heard.
 */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const said = wordsOf(reference)
  const heard = wordsOf(hypothesis)
  const errors = editDistance(said, heard)
  return errors === 0 ? 0 : errors / said.length
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}']+/gu, ' ')
    .split(' ')
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '')
}

/** Levenshtein's, one row at a time. */
function editDistance(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, word] of from.entries()) {
    const next = [index + 1]
    for (const [column, other] of to.entries()) {
      const replaced = at(row, column) + (word === other ? 0 : 1)
      next.push(Math.min(replaced, at(row, column + 1) + 1, at(next, column) + 1))
    }
    row = next
  }
  return at(row, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
