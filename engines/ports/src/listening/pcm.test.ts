import { chunked, joined, signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { describe, expect, test } from 'vitest'
import { BLOCK_SAMPLES, deviation, loudness, PcmReader, percentile } from './pcm.ts'
import * as fc from 'fast-check'

async function readAll(reader: PcmReader): Promise<Int16Array[]> {
  const blocks: Int16Array[] = []
  for (let block = await reader.next(); block !== undefined; block = await reader.next()) blocks.push(block)
  return blocks
}

describe('PcmReader', () => {
  test('yields whole blocks and a rest, for any chunks', async () => {
    const samples = Int16Array.from({ length: 2 * BLOCK_SAMPLES + 5 }, (_, index) => index)
    const blocks = await readAll(new PcmReader(chunked(samples, 777)))
    expect(blocks.map((block) => block.length)).toEqual([BLOCK_SAMPLES, BLOCK_SAMPLES, 5])
    expect(joined(blocks)).toEqual(samples)
  })

  test('a source without bytes has no blocks', async () => {
    expect(await readAll(new PcmReader(chunked(new Int16Array(0))))).toEqual([])
  })

  test('reads a chunk only when needed', async () => {
    let pulled = 0
    async function* source(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pulled += 1
        yield new Uint8Array(BLOCK_SAMPLES * 4)
      }
    }
    const reader = new PcmReader(source())
    expect(pulled).toBe(0)
    await reader.next()
    await reader.next()
    expect(pulled).toBe(1)
    await reader.next()
    expect(pulled).toBe(2)
    reader.leave()
  })

  test('throws the error of the source', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10)
      throw new Error('The disk is gone')
    }
    await expect(readAll(new PcmReader(source()))).rejects.toThrow('The disk is gone')
  })

  test('closes an unfinished source once, and not a finished one', async () => {
    let left = 0
    const ended = { done: true, value: undefined } as const
    function source(result: IteratorResult<Uint8Array>): AsyncIterable<Uint8Array> {
      const iterator: AsyncIterator<Uint8Array> = {
        next: async () => result,
        return: async () => {
          left += 1
          return ended
        },
      }
      return { [Symbol.asyncIterator]: () => iterator }
    }
    const open = new PcmReader(source({ done: false, value: new Uint8Array(BLOCK_SAMPLES * 2) }))
    await open.next()
    open.leave()
    open.leave()
    expect(left).toBe(1)
    const over = new PcmReader(source(ended))
    await over.next()
    over.leave()
    expect(left).toBe(1)
  })

  test('ignores a source that fails while it is closed', async () => {
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => Promise.reject(new Error('Nobody cares')),
      }),
    }
    expect(() => new PcmReader(source).leave()).not.toThrow()
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  })
})

async function regroup(chunks: readonly Uint8Array[]): Promise<Int16Array[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  return readAll(new PcmReader(source()))
}

test('any cuts between chunks give the same samples, in whole blocks', async () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 50_000 }), cuts, async (length, places) => {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 251)
      const edges = [0, ...places.filter((place) => place < length).toSorted((a, b) => a - b), length]
      const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
      const blocks = await regroup(chunks)
      const samples = joined(blocks)
      expect(new Uint8Array(samples.buffer)).toEqual(bytes.subarray(0, length - (length % 2)))
      expect(blocks.slice(0, -1).every((block) => block.length === BLOCK_SAMPLES)).toBe(true)
    }),
  )
})

test('samples are signed and little-endian, and half of one at the end is dropped', async () => {
  expect(await regroup([Uint8Array.of(0xff), Uint8Array.of(0xff, 0x00), Uint8Array.of(0x80, 0x01)])).toEqual([
    Int16Array.of(-1, -32_768),
  ])
})

test('every block has a separate buffer', async () => {
  const [first, second] = await regroup([new Uint8Array(BLOCK_SAMPLES * 4)])
  expect(first?.buffer).not.toBe(second?.buffer)
  expect(first?.buffer.byteLength).toBe(BLOCK_SAMPLES * 2)
})

describe('loudness', () => {
  test('digital silence is 0 dB, the loudest sine 87', () => {
    expect(loudness(new Int16Array(160))).toBe(0)
    expect(loudness(signal(1, (second) => sine(100, second)))).toBeCloseTo(87.3, 1)
  })

  test('half the amplitude is 6 dB less', () => {
    const loud = loudness(signal(1, (second) => 0.8 * sine(100, second)))
    const soft = loudness(signal(1, (second) => 0.4 * sine(100, second)))
    expect(loud - soft).toBeCloseTo(6.02, 2)
  })

  test('a constant offset does not count', () => {
    expect(loudness(new Int16Array(160).fill(5000))).toBe(0)
  })
})

test('percentile returns the value at a share of the sorted values', () => {
  expect(percentile([5, 1, 3, 2, 4], 0.5)).toBe(3)
  expect(percentile([5, 1, 3, 2, 4], 1)).toBe(5)
  expect(percentile([], 0.5)).toBe(0)
})

test('deviation is the standard deviation', () => {
  expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2)
  expect(deviation([])).toBe(0)
})
