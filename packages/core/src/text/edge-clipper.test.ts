import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PcmFormat } from '../audio/pcm-format.ts'
import { EDGE_MAX_BYTES, EdgeClipper, silence } from './edge-clipper.ts'

const MONO: PcmFormat = { sampleRate: 8000, channels: 1, bitDepth: 16 }

function samples(...values: readonly number[]): Uint8Array {
  return new Uint8Array(Int16Array.from(values).buffer)
}

/** Everything that a clipper lets through. */
function clip(
  chunks: readonly Uint8Array[],
  { start = true, end = true, format = MONO }: { start?: boolean; end?: boolean; format?: PcmFormat } = {},
): number[] {
  const clipper = new EdgeClipper(format, start)
  return Array.from(Buffer.concat([...chunks.flatMap((chunk) => clipper.push(chunk)), ...clipper.end(end)]))
}

describe('edges', () => {
  const pcm = samples(0, 9, 500, 0, 0, -500, 3, 0)

  test.each([
    [true, true, [500, 0, 0, -500]],
    [false, true, [0, 9, 500, 0, 0, -500]],
    [true, false, [500, 0, 0, -500, 3, 0]],
    [false, false, [0, 9, 500, 0, 0, -500, 3, 0]],
  ])('start %s, end %s', (start, end, kept) => {
    expect(clip([pcm], { start, end })).toEqual([...samples(...kept)])
  })

  test('a sample of 32 is silent, one of 33 is not, on either side of zero', () => {
    expect(clip([samples(32, -32, 33, 0)])).toEqual([...samples(33)])
    expect(clip([samples(0, -33, 32)])).toEqual([...samples(-33)])
  })

  test.each([
    [8, [0, 0, 1, 0], [1]],
    [8, [0, 255, 0, 0], [255]],
    [24, [255, 32, 0, 0, 33, 0, 7, 0, 0], [0, 33, 0]],
    [32, [9, 9, 0, 0, 0, 0, 0, 128, 9, 9, 224, 255], [0, 0, 0, 128]],
  ])('with %d bits the highest 16 decide', (bitDepth, bytes, kept) => {
    expect(clip([Uint8Array.from(bytes)], { format: { ...MONO, bitDepth } })).toEqual(kept)
  })

  test('a frame is kept whole when one of its channels sounds', () => {
    const format = { ...MONO, channels: 2 }
    expect(clip([samples(0, 0, 0, 500, 500, 0, 0, 0)], { format })).toEqual([...samples(0, 500, 500, 0)])
  })

  test('nothing but silence goes when both edges go, and stays when one stays', () => {
    const quiet = [samples(0, 1), samples(2)]
    expect(clip(quiet)).toEqual([])
    expect(clip(quiet, { end: false })).toEqual([...samples(0, 1, 2)])
    expect(clip(quiet, { start: false })).toEqual([...samples(0, 1, 2)])
  })

  test('do not depend on the chunks', () => {
    const sample = fc.constantFrom(0, 32, -32, 33, 500, -500)
    fc.assert(
      fc.property(
        fc.array(sample),
        fc.array(fc.nat({ max: 9 })),
        fc.boolean(),
        fc.boolean(),
        (values, cuts, start, end) => {
          const chunks: Uint8Array[] = []
          let from = 0
          for (const size of [...cuts, values.length]) {
            chunks.push(samples(...values.slice(from, from + size)))
            from += size
          }
          expect(clip(chunks, { start, end })).toEqual(clip([samples(...values)], { start, end }))
        },
      ),
    )
  })
})

describe('a silence too long to be held', () => {
  const half = new Uint8Array(EDGE_MAX_BYTES / 2 + 2)
  const sound = samples(500)
  const size = (chunks: readonly Uint8Array[]): number => clip(chunks).length

  test('is content, and stays', () => {
    expect(size([half, half, sound])).toBe(2 * half.length + 2)
    expect(size([sound, half, half, half])).toBe(3 * half.length + 2)
  })

  test('but one that can be held goes', () => {
    expect(size([half, sound, half])).toBe(2)
    expect(size([sound, half, half, sound, half])).toBe(2 * half.length + 4)
  })
})

describe('silence', () => {
  test('has whole frames of zeros and the requested length', () => {
    const format = { sampleRate: 24_000, channels: 2, bitDepth: 24 }
    const parts = [...silence(format, 1.25)]
    expect(parts.every((part) => part.length <= 65_536 && part.length % 6 === 0)).toBe(true)
    expect(Buffer.concat(parts).equals(Buffer.alloc(1.25 * 24_000 * 6))).toBe(true)
    expect([...silence(format, 0)]).toEqual([])
  })
})
