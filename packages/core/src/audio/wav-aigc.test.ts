import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aigcChunk, aigcValue, readAigc } from './wav-aigc.ts'
import { encodeWav, wavHeader } from './wav.ts'

const FORMAT = { sampleRate: 8000, channels: 1, bitDepth: 8 }

describe('interface: aigc_metadata', () => {
  test('nothing is written unless it is enabled', () => {
    expect(aigcValue(undefined, 'id')).toBeUndefined()
    expect(aigcValue({ content_propagator: 'a' }, 'id')).toBeUndefined()
    expect(aigcValue({ enabled: false }, 'id')).toBeUndefined()
  })

  test('the value has the names of the standard', () => {
    expect(aigcValue({ enabled: true }, 'id-1')).toBe(
      '{"AIGC":{"Label":"1","ContentProducer":"svc-audio","ProduceID":"id-1","ReservedCode1":"","ContentPropagator":"","PropagateID":"","ReservedCode2":""}}',
    )
    const full = aigcValue({ enabled: true, content_propagator: 'c', propagate_id: 'p' }, 'id-1')
    expect(JSON.parse(full ?? '')).toMatchObject({ AIGC: { ContentPropagator: 'c', PropagateID: 'p' } })
  })
})

describe('the chunk in a WAV file', () => {
  test('is right byte for byte', () => {
    expect(Buffer.from(aigcChunk('abc')).toString('latin1')).toBe('AIGC\u0003\0\0\0abc\0')
    expect(aigcChunk(undefined)).toHaveLength(0)
  })

  test('is read back after any other chunk, and the sizes are correct', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.uint8Array({ maxLength: 9 })), (value, chunks) => {
        const wav = encodeWav(FORMAT, chunks, aigcChunk(value))
        expect(readAigc(wav)).toBe(value)
        // a view into something larger is read as well
        expect(readAigc(Buffer.concat([Buffer.alloc(3), wav]).subarray(3))).toBe(value)
        expect(new DataView(wav.buffer).getUint32(4, true)).toBe(wav.length - 8)
        expect(wav.length % 2).toBe(0)
        const plain = encodeWav(FORMAT, chunks)
        expect(Buffer.from(wav.subarray(8, plain.length)).equals(plain.subarray(8))).toBe(true)
      }),
    )
  })

  test('is not found in a WAV without it, in a cut file, or in another format', () => {
    const wav = encodeWav(FORMAT, [new Uint8Array(3)], aigcChunk('value'))
    for (let length = 0; length < wav.length - 1; length += 1) expect(readAigc(wav.subarray(0, length))).toBeUndefined()
    expect(readAigc(encodeWav(FORMAT, [new Uint8Array(8)]))).toBeUndefined()
    expect(readAigc(new TextEncoder().encode('RIFX0000WAVEAIGC\u0001\0\0\0a'))).toBeUndefined()
    expect(readAigc(new TextEncoder().encode('RIFF0000AVI AIGC\u0001\0\0\0a'))).toBeUndefined()
  })

  test('any bytes are read without an error, in one pass', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(readAigc(Buffer.concat([wavHeader(FORMAT, 0), bytes]))).toSatisfy(
          (value) => value === undefined || typeof value === 'string',
        )
      }),
    )
  })

  test('counts for the 4 GiB that a file can have', () => {
    expect(() => wavHeader(FORMAT, 0xff_ff_ff_ff - 36 - 15, aigcChunk('abcdefgh').length)).toThrow(RangeError)
  })
})
