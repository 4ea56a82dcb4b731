/** Twenty plain English sentences, 200 words, for round trips through speech and transcription. */
export const SENTENCES: readonly string[] = [
  'The weather in the north will be cold and cloudy today.',
  "Please send the report to the office before five o'clock.",
  'She sold her house and moved to a small town near the river.',
  'The train to London leaves from platform number nine.',
  'Many people prefer to drink coffee in the morning.',
  'The president will speak to the nation this evening.',
  'We are looking for a new teacher for our school.',
  'Scientists have found water under the surface of the planet.',
  'My brother works for a large company in New York.',
  'The children played in the garden until it was dark.',
  'You can change your password on the next page.',
  'The price of oil has gone up again this week.',
  'He opened the door and walked slowly into the room.',
  'The doctor told him to stay in bed for three days.',
  'Our meeting has been moved from Monday to Wednesday.',
  'The old bridge was closed because of the heavy rain.',
  'I would like to order two tickets for the second show.',
  'The government has announced a plan to build more houses.',
  'They have been married for more than twenty years.',
  'Thank you for calling and have a very good day.',
]

/**
 * Word error rate of a transcript: the fewest words to replace, insert or delete to turn `said` into `heard`, divided
 * by the number of words in `said`. 0 is perfect; it can exceed 1.
 * Case, punctuation and hyphens do not count. Numbers must be spelled alike.
 * @returns `Infinity` if only `heard` has words, 0 if neither has.
 */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const said = words(reference)
  const heard = words(hypothesis)
  const distance = editDistance(said, heard)
  return distance === 0 ? 0 : distance / said.length
}

function words(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
  return plain
    .split(' ')
    .map((word) => word.replaceAll(/^'+|'+$/g, ''))
    .filter((word) => word !== '')
}

/** Levenshtein distance over words, one row at a time. */
function editDistance(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, word] of from.entries()) {
    const next = [index + 1]
    for (const [column, other] of to.entries()) {
      const [diagonal = 0, above = 0] = row.slice(column, column + 2)
      const left = next[column] ?? 0
      next.push(Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}
