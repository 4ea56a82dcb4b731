import { createHash } from 'node:crypto'
import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { readAigc } from '@svc-audio/core/adapter'
import { assert, asyncProperty, property, string, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { collect, gather, pieces } from '../../../test/codec/sound.ts'
import { flacFile, PcmMeter, wavFile } from './stored-files.ts'

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
