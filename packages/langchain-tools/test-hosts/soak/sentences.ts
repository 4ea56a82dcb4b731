const WHO = [
  'the teacher',
  'my brother',
  'the doctor',
  'a young woman',
  'the old captain',
  'our neighbor',
  'the driver',
]
const DID = ['found', 'opened', 'carried', 'bought', 'wrote about', 'talked about', 'remembered', 'returned']
const WHAT = ['the letter', 'a large box', 'the black door', 'the morning paper', 'two tickets', 'an old picture']
const WHERE = ['near the river', 'in the garden', 'behind the church', 'at the station', 'in a small town']
const WHEN = [
  'after the rain',
  'before breakfast',
  'in the evening',
  'during the winter',
  'when it was dark',
  'last year',
]
const THEN = ['and then went home', 'because nobody came', 'but said nothing', 'and sold it later', 'for the children']

/**
 * Plain English sentences for speech, about twelve words each. No two of the first 50,400 are equal, so a part that is
 * lost, repeated or moved changes the text.
 */
export function sentences(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    // A step without a common factor visits every combination once, in a mixed order.
    let rest = (index * 7919 + 1234) % (7 * 8 * 6 * 5 * 6 * 5)
    const words = [WHO, DID, WHAT, WHERE, WHEN, THEN].map((list) => {
      const word = list[rest % list.length] ?? ''
      rest = Math.floor(rest / list.length)
      return word
    })
    const sentence = words.join(' ')
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
  })
}
