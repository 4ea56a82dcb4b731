import { expect, test } from 'vitest'
import { matchBlocks } from './match-blocks.ts'

test('captions find their blocks, although others stand between', () => {
  const blocks = ['Menu', 'The title', 'First paragraph, with code.', 'const x = 1', 'Second paragraph']
  expect(matchBlocks(['The title.', 'First paragraph, with code.', 'Second paragraph'], blocks)).toEqual([1, 2, 4])
})

test('a text that is there twice is found in order', () => {
  expect(matchBlocks(['Again.', 'Between.', 'Again.'], ['Again', 'Between', 'Again'])).toEqual([0, 1, 2])
})

test('the innermost block counts', () => {
  expect(matchBlocks(['One.', 'Two.'], ['One. Two.', 'One.', 'Two.'])).toEqual([1, 2])
})

test('sentences are found in their paragraph', () => {
  expect(matchBlocks(['One.', 'Two.', 'Three.'], ['One. Two.', 'Three.'])).toEqual([0, 0, 1])
})

test('what is said but not there has no block', () => {
  expect(matchBlocks(['Title.', 'Text.', '…'], ['Text.'])).toEqual([-1, 0, -1])
})
