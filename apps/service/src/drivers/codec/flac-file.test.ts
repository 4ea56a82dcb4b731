import { createHash } from 'node:crypto'

import type { PcmFormat } from '@svc-audio/core/audio'
import { expect, test } from 'vitest'

import { collect, gather, pieces } from '../../../test/codec/sound.ts'
import { flacFile, PcmMeter } from './flac-file.ts'

const FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
const { signal } = new AbortController()

/** A FLAC head with every bit of STREAMINFO set, and bytes behind it. */
const ENCODED = Buffer.concat([
  Buffer.from('fLaC'),
  Buffer.from([0, 0, 0, 34]),
  Buffer.alloc(34, 0xff),
  Buffer.from('frames'),
])

async function complete(pcm: Uint8Array, format: PcmFormat, size: number): Promise<Buffer> {
  const meter = new PcmMeter(format)
  for await (const _ of meter.measure(pieces(pcm, 3)));
  return await collect(flacFile(pieces(ENCODED, size), { meter, signal }))
}

test('sample count and checksum are filled in, nothing else changes, for any chunk sizes', async () => {
  const pcm = Buffer.alloc(2 * 1234, 'pcm')
  for (const size of [1, 5, 41, 42, 43, 1000]) {
    const file = await complete(pcm, FORMAT, size)
    expect(file.subarray(0, 21).equals(ENCODED.subarray(0, 21))).toBe(true)
    expect(file.readUInt8(21)).toBe(0xf0)
    expect(file.readUInt32BE(22)).toBe(1234)
    expect(file.subarray(26, 42).equals(createHash('md5').update(pcm).digest())).toBe(true)
    expect(file.subarray(42).toString()).toBe('frames')
  }
})

test('the checksum is unchanged where FLAC’s samples differ from the given ones', async () => {
  for (const [pcm, format] of [
    [Buffer.alloc(300), { ...FORMAT, bitDepth: 24 }],
    [Buffer.alloc(301), FORMAT], // half a sample at the end
  ] as const) {
    const file = await complete(pcm, format, 1000)
    expect(file.subarray(26, 42).equals(Buffer.alloc(16, 0xff))).toBe(true)
  }
  expect((await complete(Buffer.alloc(300), { ...FORMAT, bitDepth: 24 }, 9)).readUInt32BE(22)).toBe(100)
})

test('output other than FLAC is not passed on', async () => {
  for (const wrong of [Buffer.alloc(0), Buffer.from('fLaC'), Buffer.alloc(100)])
    await expect(gather(flacFile(pieces(wrong, 50), { meter: new PcmMeter(FORMAT), signal }))).rejects.toThrow(
      'no FLAC',
    )
})
