/** Numbers of list items at the start of a caption or behind a sentence. */
const NUMBERS = /(^|[.!?:\s]\s+)-?\d{1,9}\. /g

/**
 * Finds the block of a page for each caption. Captions and blocks are in the same order. Blocks without a caption may stand
 * between, and a block may contain others: a list item contains paragraphs.
 *
 * @param cues Texts of the captions.
 * @param blocks Texts of the page's blocks, in document order.
 * @returns The index of the block of each caption, or -1
 */
export function matchBlocks(cues: readonly string[], blocks: readonly string[]): number[] {
  const there = blocks.map(letters)
  let from = 0
  return cues.map((text) => {
    const cue = letters(text)
    if (cue === '') return -1
    // The number of a list item is spoken, and no text of the page.
    const found = [cue, letters(text.replace(NUMBERS, '$1'))].reduce(
      (before, one) => (before === -1 && one !== '' ? find(there, one, from) : before),
      -1,
    )
    // Several captions may belong to one block.
    if (found !== -1) from = found
    return found
  })
}

function find(blocks: readonly string[], cue: string, from: number): number {
  const equal = blocks.findIndex((block, index) => index >= from && block === cue)
  const within = blocks.findIndex((block, index) => index >= from && block.includes(cue))
  if (within === -1 || (equal !== -1 && equal <= within)) return equal
  // The innermost block that contains the caption is the shortest.
  let best = within
  for (let index = within + 1; index < blocks.length && blocks[within]?.includes(blocks[index] ?? ''); index += 1) {
    if (blocks[index]?.includes(cue)) best = index
  }
  return best
}

/** Letters and digits only: punctuation and white space of captions differ from the page. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
