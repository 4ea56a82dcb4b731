import { expect, test } from 'vitest'
import { matchBlocks } from './page-blocks.ts'

test('captions match their blocks with others in between', () => {
  const blocks = ['Menu', 'The title', 'First paragraph, with code.', 'const x = 1', 'Second paragraph']
  expect(matchBlocks(['The title.', 'First paragraph, with code.', 'Second paragraph'], blocks)).toEqual([1, 2, 4])
})

test('a repeated text matches in order', () => {
  expect(matchBlocks(['Again.', 'Between.', 'Again.'], ['Again', 'Between', 'Again'])).toEqual([0, 1, 2])
})

test('the innermost block matches', () => {
  expect(matchBlocks(['One.', 'Two.'], ['One. Two.', 'One.', 'Two.'])).toEqual([1, 2])
})

test('sentences match their paragraph', () => {
  expect(matchBlocks(['One.', 'Two.', 'Three.'], ['One. Two.', 'Three.'])).toEqual([0, 0, 1])
})

test('a caption without a block gives -1', () => {
  expect(matchBlocks(['Title.', 'Text.', '…'], ['Text.'])).toEqual([-1, 0, -1])
})

test('a numbered item and a whole list are found, though their numbers are no text of the page', () => {
  const blocks = ['Install it. Run it, in 2024. Done.', 'Install it.', 'Run it, in 2024. Done.']
  expect(matchBlocks(['1. Install it.', '2. Run it, in 2024. Done.'], blocks)).toEqual([1, 2])
  expect(matchBlocks(['1. Install it. 2. Run it, in 2024. Done.'], blocks)).toEqual([0])
})
