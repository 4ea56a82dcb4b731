import { describe, expect, test } from 'vitest'

import { PcmReader } from './pcm-reader.ts'
import { BLOCK_SAMPLES } from './sample-blocks.ts'
import { chunked, joined } from '@svc-audio/kit/engine-fixtures/signals.ts'

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
