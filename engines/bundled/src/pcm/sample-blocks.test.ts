import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { BLOCK_SAMPLES, SampleBlocks } from './sample-blocks.ts'
import { joined } from '@svc-audio/kit/engine-fixtures/signals.ts'

function regroup(chunks: readonly Uint8Array[]): Int16Array[] {
  const blocks = new SampleBlocks()
  return [...chunks.flatMap((chunk) => [...blocks.push(chunk)]), blocks.end()]
}

test('any cuts between chunks give the same samples, in whole blocks', () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50_000 }), cuts, (length, places) => {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 251)
      const edges = [0, ...places.filter((place) => place < length).toSorted((a, b) => a - b), length]
      const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
      const blocks = regroup(chunks)
      const samples = joined(blocks)
      expect(new Uint8Array(samples.buffer)).toEqual(bytes.subarray(0, length - (length % 2)))
      expect(blocks.slice(0, -1).every((block) => block.length === BLOCK_SAMPLES)).toBe(true)
    }),
  )
})

test('samples are signed and little-endian, and half of one at the end is dropped', () => {
  expect(regroup([Uint8Array.of(0xff), Uint8Array.of(0xff, 0x00), Uint8Array.of(0x80, 0x01)])).toEqual([
    Int16Array.of(-1, -32_768),
  ])
})

test('every block has a separate buffer', () => {
  const [first, second] = regroup([new Uint8Array(BLOCK_SAMPLES * 4)])
  expect(first?.buffer).not.toBe(second?.buffer)
  expect(first?.buffer.byteLength).toBe(BLOCK_SAMPLES * 2)
})
