/** A word of a transcript beside the spoken word. */
export interface ComparedWord {
  /** `undefined` for a missing word. */
  readonly heard: string | undefined
  /** `undefined` for an extra word. */
  readonly said: string | undefined
}

/**
 * Aligns a transcript with the spoken text, word by word, with the fewest differences. Case and punctuation do not
 * count, as in `wordErrorRate`.
 */
export function compareWords(said: string, heard: string): ComparedWord[] {
  const from = wordsOf(said)
  const to = wordsOf(heard)
  const costs = distances(from, to)
  const result: ComparedWord[] = []
  let row = from.length
  let column = to.length
  while (row > 0 || column > 0) {
    const here = costs[row]?.[column] ?? 0
    if (row > 0 && column > 0 && here === (costs[row - 1]?.[column - 1] ?? 0) + differ(from[row - 1], to[column - 1])) {
      row -= 1
      column -= 1
      result.push({ said: from[row], heard: to[column] })
    } else if (row > 0 && here === (costs[row - 1]?.[column] ?? 0) + 1) {
      row -= 1
      result.push({ said: from[row], heard: undefined })
    } else {
      column -= 1
      result.push({ said: undefined, heard: to[column] })
    }
  }
  return result.toReversed()
}

/** Whether two words count as the same. */
export function sameWord({ said, heard }: ComparedWord): boolean {
  return differ(said, heard) === 0
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/[-–—/]/g, ' ')
    .split(/\s+/)
    .filter((word) => plain(word) !== '')
}

function differ(one: string | undefined, other: string | undefined): 0 | 1 {
  return one !== undefined && other !== undefined && plain(one) === plain(other) ? 0 : 1
}

function plain(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[^\p{L}\p{N}']|^'+|'+$/gu, '')
}

/** `table[i][j]`: fewest differences between the first i words of one text and the first j words of the other. */
function distances(from: readonly string[], to: readonly string[]): number[][] {
  const table = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (const [index, word] of from.entries()) {
    const above = table[index] ?? []
    const row = [index + 1]
    for (const [column, other] of to.entries()) {
      const replace = (above[column] ?? 0) + differ(word, other)
      row.push(Math.min(replace, (above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1))
    }
    table.push(row)
  }
  return table
}
