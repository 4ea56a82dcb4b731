import { encodeWav, type PcmFormat, readAigc } from '@svc-audio/core/audio'
import { assert, asyncProperty, property, string, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'

import { collect } from '../../../test/codec/sound.ts'
import { wavFile } from './wav-file.ts'

const FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
const { signal } = new AbortController()

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 5)
  yield bytes.subarray(5)
}

async function write(pcm: Uint8Array, aigc?: string): Promise<Buffer> {
  return await collect(wavFile(chunks(pcm), { format: FORMAT, aigc, signal }))
}

test('without a marking it is a plain WAV file', async () => {
  for (const length of [0, 1, 1000, 1001]) {
    const pcm = new Uint8Array(length).fill(7)
    expect((await write(pcm)).equals(encodeWav(FORMAT, [pcm]))).toBe(true)
  }
})

test('any marking is read back, and all sizes are true', { timeout: 30_000 }, async () => {
  await assert(
    asyncProperty(uint8Array({ maxLength: 50 }), string({ unit: 'binary' }), async (pcm, marking) => {
      const file = await write(pcm, marking)
      expect(readAigc(file)).toBe(marking)
      expect(file.byteLength % 2).toBe(0)
      expect(file.readUInt32LE(4)).toBe(file.byteLength - 8)
      expect(file.readUInt32LE(40)).toBe(pcm.byteLength)
      expect(file.subarray(44, 44 + pcm.byteLength).equals(pcm)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('a marking is found in a view of a larger buffer', async () => {
  const file = await write(new Uint8Array(10), 'mark')
  expect(readAigc(Buffer.concat([Buffer.alloc(3), file]).subarray(3))).toBe('mark')
})

test('other bytes have no marking, and none of them makes the reader fail', async () => {
  const file = await write(new Uint8Array(20), 'a marking')
  for (let length = 0; length < file.byteLength - 1; length += 1)
    expect(readAigc(file.subarray(0, length))).toBeUndefined()
  assert(property(uint8Array({ maxLength: 200 }), (bytes) => readAigc(bytes) === undefined))
  const tail = (bytes: Uint8Array): Buffer => Buffer.concat([file.subarray(0, 12), bytes])
  assert(property(uint8Array({ maxLength: 200 }), (bytes) => (readAigc(tail(bytes)) ?? '').length <= 200))
})

test('samples of 8 bits are refused: WAV stores them unsigned', async () => {
  const format = { ...FORMAT, bitDepth: 8 }
  await expect(wavFile(chunks(new Uint8Array(9)), { format, aigc: undefined, signal }).next()).rejects.toThrow(
    RangeError,
  )
})
