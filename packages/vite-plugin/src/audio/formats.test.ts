import { describe, expect, test } from 'vitest'
import { adtsSeconds } from './adts.ts'
import { flacSeconds } from './flac.ts'
import { FORMATS } from './formats.ts'
import { oggOpusSeconds } from './ogg-opus.ts'
import { wavSeconds } from './wav.ts'
import { oggPage } from '../../test/support/audio-files.ts'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const little = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256)

describe('WAV', () => {
  const format = concat(little(1, 2), little(1, 2), little(16_000, 4), little(32_000, 4), little(2, 2), little(16, 2))
  // Kind 0x11, IMA ADPCM: 4 bits a sample, in blocks of 256 bytes.
  const adpcm = concat(little(0x11, 2), little(1, 2), little(16_000, 4), little(8110, 4), little(256, 2), little(4, 2))
  const chunk = (id: string, data: Uint8Array, size = data.length): Uint8Array =>
    concat(ascii(id), little(size, 4), data, new Uint8Array(data.length % 2))
  const wav = (...chunks: Uint8Array[]): Uint8Array => concat(ascii('RIFF'), little(0, 4), ascii('WAVE'), ...chunks)

  test('is as long as its data, whatever stands around it', () => {
    const file = wav(
      chunk('fmt ', format),
      chunk('LIST', new Uint8Array(7)),
      chunk('data', new Uint8Array(8000)),
      chunk('AIGC', ascii('{}')),
    )
    expect(wavSeconds(file)).toBe(0.25)
  })

  test('of a pipe, with an open size, is as long as the file', () => {
    expect(wavSeconds(wav(chunk('fmt ', format), chunk('data', new Uint8Array(16_000), 0xff_ff_ff_ff)))).toBe(0.5)
  })

  test.each([
    ['no format', wav(chunk('data', new Uint8Array(10)))],
    ['no data', wav(chunk('fmt ', format))],
    ['ADPCM, which packs blocks of samples', wav(chunk('fmt ', adpcm), chunk('data', new Uint8Array(512)))],
    ['half a format', wav(chunk('fmt ', format.subarray(0, 8), 16))],
    ['another kind of RIFF', concat(ascii('RIFF'), little(0, 4), ascii('AVI '))],
  ])('with %s has no length', (_, file) => {
    expect(wavSeconds(file)).toBeUndefined()
  })
})

describe('FLAC', () => {
  const flac = (rate: number, samples: number, blockType = 0): Uint8Array => {
    const packed = new Uint8Array(8)
    new DataView(packed.buffer).setBigUint64(0, (BigInt(rate) << 44n) | (15n << 36n) | BigInt(samples))
    return concat(
      ascii('fLaC'),
      Uint8Array.of(0x80 | blockType, 0, 0, 34),
      new Uint8Array(10),
      packed,
      new Uint8Array(16),
    )
  }

  test('is as long as STREAMINFO says, beyond 32 bits too', () => {
    expect(flacSeconds(flac(16_000, 40_000))).toBe(2.5)
    expect(flacSeconds(flac(192_000, 192_000 * 40_000))).toBe(40_000)
  })

  test.each([
    ['an open number of samples', flac(16_000, 0)],
    ['no STREAMINFO', flac(16_000, 1, 4)],
    ['half a STREAMINFO', flac(16_000, 1).subarray(0, 20)],
    ['another mark', ascii('fLaX'.repeat(20))],
  ])('with %s has no length', (_, file) => {
    expect(flacSeconds(file)).toBeUndefined()
  })
})

describe('Ogg Opus', () => {
  const page = (granule: bigint, payload: Uint8Array, serial = 1, flags = 0): Uint8Array =>
    oggPage(granule, payload, { serial, flags })
  const head = concat(ascii('OpusHead'), Uint8Array.of(1, 1), little(312, 2), new Uint8Array(7))
  const sound = new Uint8Array(100)
  const unended = 0xff_ff_ff_ff_ff_ff_ff_ffn

  test('is as long as its last position less the pre-skip', () => {
    const file = concat(
      page(0n, head),
      page(24_312n, new Uint8Array(100)),
      page(48_312n, new Uint8Array(100)),
      page(unended, new Uint8Array(50)),
      page(999_999n, new Uint8Array(50), 2),
    )
    expect(oggOpusSeconds(file)).toBe(1)
  })

  test.each([
    ['only a head', page(0n, head)],
    ['another codec', page(0n, concat(ascii('\u0001vorbis'), new Uint8Array(20)))],
    [
      'two chained streams',
      concat(page(0n, head, 1, 2), page(48_312n, sound), page(0n, head, 2, 2), page(48_312n, sound, 2)),
    ],
    ['half a page', page(0n, head).subarray(0, 20)],
    ['no pages', ascii('x'.repeat(100))],
  ])('with %s has no length', (_, file) => {
    expect(oggOpusSeconds(file)).toBeUndefined()
  })
})

describe('AAC', () => {
  /** AAC-LC, 16 kHz, mono. */
  const adts = (length: number, blocks = 1): Uint8Array => {
    const frame = new Uint8Array(length)
    frame.set([
      0xff,
      0xf1,
      0x60,
      0x40 | (length >> 11),
      (length >> 3) & 255,
      ((length & 7) << 5) | 0x1f,
      0xfc | (blocks - 1),
    ])
    return frame
  }

  test('is as long as its frames, after a tag too', () => {
    const id3 = concat(ascii('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0005'), new Uint8Array(5))
    expect(adtsSeconds(concat(id3, adts(200), adts(3000, 2), adts(7)))).toBe((4 * 1024) / 16_000)
  })

  test('of half a frame, or of none, has no length', () => {
    expect(adtsSeconds(adts(200).subarray(0, 150))).toBeUndefined()
    expect(adtsSeconds(ascii('no audio at all'))).toBeUndefined()
    expect(adtsSeconds(new Uint8Array())).toBeUndefined()
  })
})

test('no format takes the file of another for its own', () => {
  const flac = concat(ascii('fLaC'), new Uint8Array(60))
  for (const { seconds } of Object.values(FORMATS)) expect(seconds(flac)).toBeUndefined()
})
