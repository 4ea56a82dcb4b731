import { expect, test } from 'vitest'
import { sampleText } from './sample-text.ts'

test.each([
  ['a short text stays whole', '  One. Two.  ', 20, 'One. Two.'],
  ['a longer text is cut after a sentence', 'One. Two three. Four five.', 20, 'One. Two three.'],
  ['a sentence that just fits counts', 'One two. Three.', 8, 'One two.'],
  ['a long sentence is cut after a word', 'one two three four', 10, 'one two'],
  ['a long word is cut', 'onetwothree', 6, 'onetwo'],
])('%s', (_case, text, max, expected) => {
  expect(sampleText(text, max)).toBe(expected)
})
