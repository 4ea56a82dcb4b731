import { expect, test } from 'vitest'
import { sampleText } from './sample-text.ts'

test.each([
  ['what fits stays whole', '  One. Two.  ', 20, 'One. Two.'],
  ['else whole sentences', 'One. Two three. Four five.', 20, 'One. Two three.'],
  ['a sentence that just fits counts', 'One two. Three.', 8, 'One two.'],
  ['else whole words', 'one two three four', 10, 'one two'],
  ['else what there is room for', 'onetwothree', 6, 'onetwo'],
])('%s', (_case, text, max, expected) => {
  expect(sampleText(text, max)).toBe(expected)
})
