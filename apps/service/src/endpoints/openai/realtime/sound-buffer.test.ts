import { expect, test } from 'vitest'
import { SoundBuffer } from './sound-buffer.ts'

function filled(...pieces: readonly number[][]): SoundBuffer {
  const buffer = new SoundBuffer()
  for (const piece of pieces) buffer.push(Int16Array.from(piece))
  return buffer
}

test('samples are taken in their order, over the borders of pieces', () => {
  const buffer = filled([1, 2], [3], [4, 5, 6])
  expect([...buffer.take(4)]).toEqual([1, 2, 3, 4])
  expect([buffer.start, buffer.end]).toEqual([4, 6])
  expect([...buffer.take(9)]).toEqual([5, 6])
})

test('samples before a position are dropped, also in the middle of a piece', () => {
  const buffer = filled([1, 2], [3, 4, 5])
  buffer.dropBefore(3)
  buffer.dropBefore(1)
  expect([buffer.start, ...buffer.take(5)]).toEqual([3, 4, 5])
})

test('a drop behind the end drops everything, and later samples are held', () => {
  const buffer = filled([1, 2])
  buffer.dropBefore(9)
  expect([buffer.start, buffer.end]).toEqual([2, 2])
  buffer.push(Int16Array.of(3))
  expect([...buffer.take(3)]).toEqual([3])
})

test('half a million pieces of a sample are dropped together', () => {
  const buffer = new SoundBuffer()
  for (let at = 0; at < 500_000; at += 1) buffer.push(Int16Array.of(at % 1000))
  buffer.dropBefore(499_999)
  expect([...buffer.take(500_000)]).toEqual([999])
})
