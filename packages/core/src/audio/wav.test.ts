import { describe, expect, test } from 'vitest'
import { listAll } from '../../test/support/clients.ts'
import { WavMeter } from './wav-meter.ts'
import {
  aigcChunk,
  aigcValue,
  encodeWav,
  readAigc,
  readWavHead,
  WAV_HEADER_BYTES,
  wavHeader,
  wavStream,
} from './wav.ts'
import * as fc from 'fast-check'

const bytesOf = (hex: string): number[] => [...Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')]

describe('wavHeader', () => {
  test('is right byte for byte', () => {
    expect([...wavHeader({ sampleRate: 24_000, channels: 1, bitDepth: 16 }, 48_000)]).toEqual(
      bytesOf(`
        52494646 a4bb0000 57415645
        666d7420 10000000 0100 0100 c05d0000 80bb0000 0200 1000
        64617461 80bb0000`),
    )
    expect([...wavHeader({ sampleRate: 44_100, channels: 2, bitDepth: 24 }, 6)]).toEqual(
      bytesOf(`
        52494646 2a000000 57415645
        666d7420 10000000 0100 0200 44ac0000 98090400 0600 1800
        64617461 06000000`),
    )
  })

  test('counts the pad byte and further chunks in the RIFF size, not in the data size', () => {
    const view = new DataView(wavHeader({ sampleRate: 8000, channels: 1, bitDepth: 8 }, 3, 10).buffer)
    expect(view.getUint32(4, true)).toBe(36 + 3 + 1 + 10)
    expect(view.getUint32(40, true)).toBe(3)
  })

  test('the largest file that fits is the last', () => {
    const format = { sampleRate: 8000, channels: 1, bitDepth: 16 }
    const largest = 0xff_ff_ff_ff - 36 - 1
    expect(new DataView(wavHeader(format, largest).buffer).getUint32(4, true)).toBe(0xff_ff_ff_fe)
    expect(() => wavHeader(format, largest + 2)).toThrow(RangeError)
    expect(() => wavHeader(format, largest, 2)).toThrow(RangeError)
  })
})

describe('encodeWav', () => {
  test('is the header, every chunk in order, and a pad byte after an odd number of bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), (chunks) => {
        const format = { sampleRate: 8000, channels: 1, bitDepth: 24 }
        const data = Buffer.concat(chunks)
        const file = encodeWav(format, chunks)
        expect(Buffer.from(file)).toEqual(
          Buffer.concat([wavHeader(format, data.length), data, Buffer.alloc(data.length % 2)]),
        )
        expect(new DataView(file.buffer).getUint32(4, true)).toBe(file.length - 8)
      }),
    )
  })

  test('no audio is a valid file of 44 bytes', () => {
    expect(encodeWav({ sampleRate: 8000, channels: 1, bitDepth: 8 }, []).length).toBe(WAV_HEADER_BYTES)
  })
})

describe('samples of 8 bits', () => {
  const format = { sampleRate: 8000, channels: 1, bitDepth: 8 }

  test('are signed as PCM and unsigned in a WAV: silence is 128', () => {
    const pcm = Uint8Array.of(0, 127, 0x80, 0xff)
    expect([...encodeWav(format, [pcm]).subarray(WAV_HEADER_BYTES)]).toEqual([128, 255, 0, 127])
    expect([...pcm]).toEqual([0, 127, 0x80, 0xff])
  })

  test('are so in a stream too', async () => {
    async function* pcm(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Uint8Array.of(0)
    }
    const chunks = await listAll(wavStream(format, pcm()))
    expect([...(chunks[1] ?? [])]).toEqual([128])
  })
})

describe('a WAV whose length is not known yet', () => {
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

  test('has placeholder sizes, and is measured by its bytes', async () => {
    async function* pcm(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(16_000)
      yield new Uint8Array(16_000)
    }
    const meter = new WavMeter()
    const chunks = await listAll(wavStream(format, pcm()))
    for (const chunk of chunks) meter.add(chunk)
    const header = new DataView((chunks[0] ?? new Uint8Array()).buffer)
    expect([header.getUint32(4, true), header.getUint32(40, true)]).toEqual([0xff_ff_ff_ff, 0xff_ff_ff_ff])
    expect(meter.durationSeconds).toBe(1)
  })

  test('closes its source when it is closed', async () => {
    let ended = false
    async function* pcm(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (;;) yield new Uint8Array(2)
      } finally {
        ended = true
      }
    }
    for await (const chunk of wavStream(format, pcm())) if (chunk.length === 2) break
    expect(ended).toBe(true)
  })
})

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
