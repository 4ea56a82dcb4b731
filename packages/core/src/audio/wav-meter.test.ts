import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { WavMeter } from './wav-meter.ts'
import { encodeWav, WAV_HEADER_BYTES, wavHeader } from './wav.ts'

const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
/** A quarter of a second. */
const pcm = new Uint8Array(8000)

function measure(file: Uint8Array, cuts: readonly number[] = []): number | undefined {
  const meter = new WavMeter()
  let from = 0
  for (const cut of [...cuts.map((one) => one % file.length).toSorted((a, b) => a - b), file.length]) {
    meter.add(file.subarray(from, cut))
    from = cut
  }
  return meter.durationSeconds
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

function chunk(id: string, size: number): Uint8Array {
  const bytes = new Uint8Array(8 + size + (size % 2))
  bytes.set(new TextEncoder().encode(id))
  new DataView(bytes.buffer).setUint32(4, size, true)
  return bytes
}

function withDataSize(size: number): Uint8Array {
  const file = encodeWav(format, [pcm])
  new DataView(file.buffer).setUint32(WAV_HEADER_BYTES - 4, size, true)
  return file
}

test('the length of a WAV file', () => {
  expect(measure(encodeWav(format, [pcm]))).toBe(0.25)
  expect(measure(encodeWav({ sampleRate: 48_000, channels: 2, bitDepth: 24 }, [new Uint8Array(288_000)]))).toBe(1)
})

test('chunks around the audio do not count, of odd sizes either', () => {
  const [head, rest] = [encodeWav(format, [pcm]).subarray(0, 12), encodeWav(format, [pcm]).subarray(12)]
  expect(measure(join(head, chunk('LIST', 27), rest, chunk('AIGC', 41)))).toBe(0.25)
})

test('a longer format chunk is understood', () => {
  const plain = encodeWav(format, [pcm])
  const longer = join(plain.subarray(0, 36), new Uint8Array(2), plain.subarray(36))
  new DataView(longer.buffer).setUint32(16, 18, true)
  expect(measure(longer)).toBe(0.25)
})

test.each([0, 0xff_ff_ff_ff])('with the placeholder size %d the bytes that came count', (size) => {
  expect(measure(withDataSize(size))).toBe(0.25)
})

test('the length of a cut file counts the received bytes', () => {
  expect(measure(encodeWav(format, [pcm]).subarray(0, WAV_HEADER_BYTES + 4000))).toBe(0.125)
})

test('it grows while bytes pass', () => {
  const meter = new WavMeter()
  meter.add(wavHeader(format, pcm.byteLength))
  expect(meter.durationSeconds).toBeUndefined()
  meter.add(pcm.subarray(0, 1600))
  expect(meter.durationSeconds).toBe(0.05)
})

test.each([
  ['nothing', new Uint8Array(0)],
  ['an MP3', Uint8Array.from([0xff, 0xfb, 0x90, ...pcm])],
  ['another RIFF file', join(new TextEncoder().encode('RIFF....AVI '), pcm)],
  ['a header alone', wavHeader(format, 0)],
  ['audio without a format', join(encodeWav(format, []).subarray(0, 12), chunk('data', 100))],
])('%s has no length', (_, file) => {
  expect(measure(file)).toBeUndefined()
})

test('how the bytes are cut does not matter', () => {
  const file = join(encodeWav(format, [pcm]).subarray(0, 12), chunk('LIST', 9), encodeWav(format, [pcm]).subarray(12))
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100 }), { maxLength: 20 }), (cuts) => {
      expect(measure(file, cuts)).toBe(0.25)
    }),
  )
})

test('no bytes whatever make it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const file = join(encodeWav(format, []).subarray(0, 12), bytes)
      expect(measure(file) ?? 0).toBeGreaterThanOrEqual(0)
    }),
  )
})
