/**
 * Finds the block of a page that each caption says. Captions and blocks are in the same order, but blocks that are not
 * read stand between, and blocks may hold others, as a list item holds paragraphs.
 *
 * @param cues Texts of the captions.
 * @param blocks Texts of the page's blocks, in document order.
 * @returns For each caption the index of its block, or -1
 */
export function matchBlocks(cues: readonly string[], blocks: readonly string[]): number[] {
  const wanted = cues.map(letters)
  const there = blocks.map(letters)
  let from = 0
  return wanted.map((cue) => {
    if (cue === '') return -1
    const found = find(there, cue, from)
    // Several captions may say one block.
    if (found !== -1) from = found
    return found
  })
}

function find(blocks: readonly string[], cue: string, from: number): number {
  const equal = blocks.findIndex((block, index) => index >= from && block === cue)
  const within = blocks.findIndex((block, index) => index >= from && block.includes(cue))
  if (within === -1 || (equal !== -1 && equal <= within)) return equal
  // The innermost of the blocks that hold it: it is the shortest.
  let best = within
  for (let index = within + 1; index < blocks.length && blocks[within]?.includes(blocks[index] ?? ''); index += 1) {
    if (blocks[index]?.includes(cue)) best = index
  }
  return best
}

/** Letters and digits only: captions are spelled as they are spoken, with other punctuation and white space. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
