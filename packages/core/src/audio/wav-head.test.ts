import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readWavHead } from './wav-head.ts'
import { encodeWav, WAV_HEADER_BYTES, wavHeader } from './wav.ts'

const format = { sampleRate: 24_000, channels: 2, bitDepth: 16 }
const file = encodeWav(format, [new Uint8Array(400)])

/** The file with another chunk of an odd size before its samples. */
function withChunk(): Uint8Array {
  const chunk = Buffer.from('LIST\u0003\0\0\0abc\0')
  return Buffer.concat([file.subarray(0, 36), chunk, file.subarray(36)])
}

test('the head of a WAV file has its format and the place and size of its samples', () => {
  expect(readWavHead(file)).toEqual({ format, kind: 1, samplesAt: WAV_HEADER_BYTES, sampleBytes: 400 })
  expect(readWavHead(withChunk())).toEqual({ format, kind: 1, samplesAt: WAV_HEADER_BYTES + 12, sampleBytes: 400 })
})

test('the samples of a stream have no size', () => {
  expect(readWavHead(wavHeader(format, undefined))).toEqual({
    format,
    kind: 1,
    samplesAt: WAV_HEADER_BYTES,
    sampleBytes: undefined,
  })
})

test('a head that is not complete, and another file, are undefined', () => {
  for (let length = 0; length < WAV_HEADER_BYTES; length += 1) {
    expect(readWavHead(file.subarray(0, length))).toBeUndefined()
  }
  expect(readWavHead(Buffer.from('RIFF....AVI data....'))).toBeUndefined()
  expect(readWavHead(Buffer.concat([file.subarray(0, 12), file.subarray(36)]))).toBeUndefined()
})

test('no bytes make the reader of heads throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const head = readWavHead(Buffer.concat([file.subarray(0, 12), bytes]))
      expect(head?.samplesAt ?? 0).toBeLessThanOrEqual(12 + bytes.length)
    }),
  )
})
