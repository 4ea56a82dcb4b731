import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { expect, test } from 'vitest'
import { groupEmbeddings } from './group-embeddings.ts'

const at = (...numbers: number[]): Float32Array => Float32Array.from(numbers)

test('embeddings of the same direction are one speaker, whatever their length', () => {
  expect(groupEmbeddings([at(1, 0), at(9, 0.1), at(0, 1), at(0.2, 5)], [2, 2, 2, 2], 0.5)).toEqual([0, 0, 1, 1])
})

test('speakers are numbered in the order of their first speech', () => {
  expect(groupEmbeddings([at(0, 1), at(1, 0), at(0, 1)], [2, 2, 2], 0.5)).toEqual([0, 1, 0])
})

test('speech of half a second makes no speaker: it goes to the nearest one', () => {
  expect(groupEmbeddings([at(1, 0), at(0.1, 1), at(1, 0.1)], [2, 0.5, 2], 0.5)).toEqual([0, 0, 0])
})

test('half a second alone is a speaker, and nothing has none', () => {
  expect(groupEmbeddings([at(1, 0)], [0.5], 0.5)).toEqual([0])
  expect(groupEmbeddings([], [], 0.5)).toEqual([])
})

test('an embedding of zeros has a speaker', () => {
  expect(groupEmbeddings([at(0, 0), at(1, 0)], [2, 2], 0.5)).toHaveLength(2)
})

test('five voices of two hours are five, in pieces of random noise', () => {
  const random = new Random(7)
  const centers = Array.from({ length: 5 }, () => Array.from({ length: 64 }, () => random.between(-1, 1)))
  const spoken = Array.from({ length: 3600 }, (_, index) => (index < 5 ? index : random.whole(0, 4)))
  const embeddings = spoken.map((speaker) =>
    at(...(centers[speaker] ?? []).map((value) => value + random.between(-0.5, 0.5))),
  )
  expect(
    groupEmbeddings(
      embeddings,
      spoken.map(() => 2),
      0.5,
    ),
  ).toEqual(spoken)
})
