import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameAligner } from './speech-stream.ts'

test('whatever the chunks, frames come out whole, in order, and with nothing lost but the unfinished rest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(fc.uint8Array({ maxLength: 30 })), (frameBytes, chunks) => {
      const aligner = new FrameAligner(frameBytes)
      const out = chunks.map((chunk) => aligner.push(chunk))
      const input = Buffer.concat(chunks)
      const whole = input.length - (input.length % frameBytes)
      expect(out.every((piece) => piece.length % frameBytes === 0)).toBe(true)
      expect(Buffer.concat(out)).toEqual(input.subarray(0, whole))
      expect(aligner.pendingBytes).toBe(input.length - whole)
    }),
  )
})

test('a frame is given out with the chunk that completes it', () => {
  const aligner = new FrameAligner(4)
  expect([...aligner.push(Uint8Array.of(1, 2, 3))]).toEqual([])
  expect([...aligner.push(Uint8Array.of(4, 5))]).toEqual([1, 2, 3, 4])
  expect(aligner.pendingBytes).toBe(1)
})

test('the rest of a chunk does not change with the chunk', () => {
  const aligner = new FrameAligner(2)
  const chunk = Uint8Array.of(1, 2, 3)
  aligner.push(chunk)
  chunk.fill(0)
  expect([...aligner.push(Uint8Array.of(4))]).toEqual([3, 4])
})
