import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll } from '../../test/support/clients.ts'
import { encodeWav, WAV_HEADER_BYTES, wavHeader } from './wav.ts'
import { WavMeter } from './wav-meter.ts'
import { wavStream } from './wav-stream.ts'

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
