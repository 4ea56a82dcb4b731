import { describe, expect, test } from 'vitest'
import {
  adtsFrame,
  ascii,
  chunk,
  concat,
  flacHead,
  id3,
  little,
  MP3_MONO,
  mp3Frame,
  MP3_STEREO,
  oggPage,
  opusHead,
  riff,
  seeded,
  wavFormat,
  wavOf,
} from '@svc-audio/kit/hosts/audio-files'
import {
  adtsSeconds,
  completeFlacHead,
  FLAC_HEAD_BYTES,
  flacSeconds,
  hasAscii,
  id3Bytes,
  isFreeFormat,
  mp3Seconds,
  oggOpusSeconds,
  readAdts,
  readMp3,
  readMp3Frame,
  readWav,
  viewOf,
  wavSeconds,
} from './index.ts'

/** The same bytes, in the middle of a larger buffer. */
function inside(file: Uint8Array, before: number): Uint8Array {
  const larger = new Uint8Array(file.byteLength + before + 9).fill(0xff)
  larger.set(file, before)
  return larger.subarray(before, before + file.byteLength)
}

const SOUND = new Uint8Array(100)
const FILES = {
  mp3: concat(id3(new Uint8Array(20)), ...Array<Uint8Array>(4).fill(mp3Frame(MP3_MONO, 288))),
  wav: wavOf(Array<number>(1600).fill(500)),
  opus: concat(oggPage(0n, opusHead(312), { flags: 2 }), oggPage(24_312n, SOUND), oggPage(48_312n, SOUND)),
  flac: flacHead(16_000, 8000),
  aac: concat(adtsFrame(200), adtsFrame(300), adtsFrame(100)),
} as const
const SECONDS = { mp3: (4 * 576) / 16_000, wav: 0.1, opus: 1, flac: 0.5, aac: (3 * 1024) / 16_000 } as const
const LENGTHS = {
  mp3: mp3Seconds,
  wav: wavSeconds,
  opus: oggOpusSeconds,
  flac: flacSeconds,
  aac: adtsSeconds,
} as const
const NAMES = ['mp3', 'wav', 'opus', 'flac', 'aac'] as const

describe('every reader', () => {
  test.each(NAMES)('of %s reads bytes that begin at an odd offset of their buffer', (name) => {
    expect(LENGTHS[name](inside(FILES[name], 3))).toBe(SECONDS[name])
  })

  test.each(NAMES)('of %s gives a cut file no length, or a length up to that of the whole', (name) => {
    const seconds = LENGTHS[name]
    let read = 0
    for (let bytes = 0; bytes < FILES[name].byteLength; bytes += 1) {
      const length = seconds(FILES[name].subarray(0, bytes)) ?? 0
      expect(length).toBeLessThanOrEqual(SECONDS[name])
      read = Math.max(read, length)
    }
    // FLAC tells its length in the head, so a cut head tells none. Other formats tell it by what is there.
    expect(read > 0).toBe(name !== 'flac')
  })

  test.each(NAMES)('of %s neither throws nor gives a wrong kind of length for damaged bytes', (name) => {
    const below = seeded(0x5eed + name.length)
    for (let round = 0; round < 300; round += 1) {
      const damaged = Uint8Array.from(FILES[name])
      for (let count = below(12) + 1; count > 0; count -= 1)
        damaged[below(Math.min(damaged.byteLength, 400))] = below(256)
      const length = LENGTHS[name](damaged.subarray(0, below(damaged.byteLength + 1))) ?? 0
      expect(length).toBeGreaterThanOrEqual(0)
      expect(length).toBeLessThan(Number.POSITIVE_INFINITY)
    }
  })

  test.each(NAMES)('of %s gives no length for the file of any other format', (name) => {
    const others = NAMES.filter((other) => other !== name)
    expect(others.map((other) => LENGTHS[name](FILES[other]))).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe('bytes', () => {
  test('a view covers the bytes of a part of a buffer, and no others', () => {
    const view = viewOf(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))
    expect([view.byteLength, view.getUint16(0)]).toEqual([2, 0x02_03])
  })

  test.each([
    [0, 'RIFF', true],
    [1, 'IFF', true],
    [1, 'RIFF', false],
    [2, 'FFx', false],
    [4, 'R', false],
    [9, '', true],
  ])('bytes at %i, %o is %s', (offset, text, found) => {
    expect(hasAscii(ascii('RIFF'), offset, text)).toBe(found)
  })

  test.each([
    ['an empty tag', id3(new Uint8Array()), 10],
    ['a size in bytes of seven bits', id3(new Uint8Array(200)), 210],
    ['a footer', id3(new Uint8Array(5), { footer: true }), 25],
    ['a tag longer than the file', id3(new Uint8Array(300)).subarray(0, 12), 310],
    ['half a head', id3(new Uint8Array()).subarray(0, 9), 0],
    ['another mark', ascii('ID4 and more text'), 0],
  ])('an ID3v2 tag with %s is counted', (_, file, bytes) => {
    expect(id3Bytes(file)).toBe(bytes)
  })

  test.each([
    ['mp3', mp3Seconds, FILES.mp3.subarray(30)],
    ['flac', flacSeconds, FILES.flac],
  ] as const)('a tag before %s does not count, and one that covers the file leaves nothing', (_, seconds, file) => {
    expect(seconds(concat(id3(new Uint8Array(33)), file))).toBe(seconds(file))
    const covering = concat(id3(new Uint8Array(file.byteLength + 50)).subarray(0, 10), file)
    expect(seconds(covering)).toBeUndefined()
  })
})

describe('WAV', () => {
  const data = (bytes: number): Uint8Array => chunk('data', new Uint8Array(bytes))
  /** The tail of an extensible format, whose GUID begins with a kind. */
  const extension = (kind: number): Uint8Array =>
    concat(little(22, 2), little(16, 2), little(4, 4), little(kind, 2), new Uint8Array(14))

  test.each([
    ['PCM of 8 bits', { bits: 8 }, true, 1],
    ['PCM of 24 bits in stereo', { bits: 24, channels: 2 }, true, 1 / 6],
    ['float', { kind: 3, bits: 32 }, false, 0.25],
    ['A-law', { kind: 6, bits: 8 }, false, 1],
    ['µ-law', { kind: 7, bits: 8 }, false, 1],
    ['extensible PCM', { kind: 0xff_fe, tail: extension(1) }, true, 0.5],
    ['extensible float', { kind: 0xff_fe, bits: 32, tail: extension(3) }, false, 0.25],
  ])('%s has a length; only integers can be joined', (_, format, isPcm, seconds) => {
    const file = riff(wavFormat(format), data(16_000))
    expect(readWav(file)?.isPcm).toBe(isPcm)
    expect(wavSeconds(file)).toBeCloseTo(seconds, 10)
  })

  test.each([
    ['extensible ADPCM', wavFormat({ kind: 0xff_fe, tail: extension(0x11) })],
    ['no channels', wavFormat({ channels: 0 })],
    ['no rate', wavFormat({ rate: 0 })],
    ['no bits', wavFormat({ bits: 0 })],
    ['12 bits', wavFormat({ bits: 12 })],
    ['a format of 14 bytes', chunk('fmt ', wavFormat().subarray(8, 22))],
    ['half a format', chunk('fmt ', wavFormat().subarray(8, 16), 16)],
    ['no format', chunk('LIST', ascii('abcd'))],
    ['ADPCM, which packs blocks of samples', wavFormat({ kind: 0x11, bits: 4 })],
  ])('with %s is not read', (_, format) => {
    expect(readWav(riff(format, data(100)))).toBeUndefined()
  })

  test('the last format before the data counts, and data before it is not read', () => {
    expect(readWav(riff(wavFormat({ rate: 8000 }), wavFormat({ rate: 22_050 }), data(10)))?.sampleRate).toBe(22_050)
    expect(readWav(riff(data(10), wavFormat()))).toBeUndefined()
  })

  test('the samples are a view of the file, without the chunks behind them', () => {
    const file = riff(wavFormat(), chunk('data', Uint8Array.of(1, 2, 3)), chunk('LIST', ascii('abcd')))
    const { samples } = readWav(file) ?? {}
    expect(samples).toEqual(Uint8Array.of(1, 2, 3))
    expect(samples?.buffer).toBe(file.buffer)
  })

  test('a file without data, and another kind of RIFF, are not read', () => {
    expect(readWav(riff(wavFormat()))).toBeUndefined()
    expect(readWav(concat(ascii('RIFF'), little(0, 4), ascii('AVI ')))).toBeUndefined()
  })

  test('a file is as long as its data, whatever stands around it', () => {
    const around = [chunk('LIST', new Uint8Array(7)), data(8000), chunk('AIGC', ascii('{}'))]
    expect(wavSeconds(riff(wavFormat(), ...around))).toBe(0.25)
  })

  test('a size that a pipe leaves open reaches to the end, and misses nothing', () => {
    const open = readWav(riff(wavFormat(), chunk('data', new Uint8Array(16_000), 0xff_ff_ff_ff)))
    expect([open?.samples.byteLength, open?.missingBytes]).toEqual([16_000, 0])
    expect(readWav(riff(wavFormat(), data(100)).subarray(0, -40))?.missingBytes).toBe(40)
  })

  test('a file without samples is 0 seconds long', () => {
    expect(wavSeconds(riff(wavFormat(), data(0)))).toBe(0)
  })
})

describe('MP3 frames', () => {
  test.each([
    [
      'MPEG-1 stereo',
      MP3_STEREO,
      { rate: 44_100, samples: 1152, bytes: 417, kilobits: 128, mono: false, infoOffset: 36 },
    ],
    [
      'MPEG-1 mono',
      0xff_fb_90_c0,
      { rate: 44_100, samples: 1152, bytes: 417, kilobits: 128, mono: true, infoOffset: 21 },
    ],
    ['MPEG-2 mono', MP3_MONO, { rate: 16_000, samples: 576, bytes: 288, kilobits: 64, mono: true, infoOffset: 13 }],
    [
      'MPEG-2 stereo',
      0xff_f3_88_04,
      { rate: 16_000, samples: 576, bytes: 288, kilobits: 64, mono: false, infoOffset: 21 },
    ],
    ['MPEG-2.5', 0xff_e3_88_c4, { rate: 8000, samples: 576, bytes: 576, kilobits: 64, mono: true, infoOffset: 13 }],
    [
      '48 kHz, 320 kbit/s',
      0xff_fb_e4_00,
      { rate: 48_000, samples: 1152, bytes: 960, kilobits: 320, mono: false, infoOffset: 36 },
    ],
    [
      '32 kHz, padded',
      0xff_fb_1a_00,
      { rate: 32_000, samples: 1152, bytes: 145, kilobits: 32, mono: false, infoOffset: 36 },
    ],
  ])('the header of %s is read', (_, header, frame) => {
    expect(readMp3Frame(header)).toEqual(frame)
  })

  test('neither a free bit rate nor another header has a size, and only the first is free', () => {
    const free = 0xff_fb_00_00
    expect([readMp3Frame(free), isFreeFormat(free)]).toEqual([undefined, true])
    // In order: a bit rate, a reserved version, Layer II, a reserved sample rate, no sync.
    for (const header of [MP3_STEREO, 0xff_eb_00_00, 0xff_fd_00_00, 0xff_fb_0c_00, 0x7f_fb_00_00]) {
      expect(isFreeFormat(header)).toBe(false)
    }
  })

  test('every header that is read has a positive size, and so a scan always ends', () => {
    const below = seeded(11)
    let read = 0
    for (let round = 0; round < 5000; round += 1) {
      const frame = readMp3Frame((0xff_e0_00_00 | below(0x20_00_00)) >>> 0)
      if (frame === undefined) continue
      read += 1
      expect(frame.bytes).toBeGreaterThan(20)
      expect(frame.infoOffset).toBeLessThan(37)
    }
    expect(read).toBeGreaterThan(500)
  })

  test('a file is taken apart: its tag, and its frames with sound', () => {
    const tag = id3(ascii('marking'))
    const frames = [mp3Frame(MP3_MONO, 288), mp3Frame(MP3_MONO | 0x02_00, 289)]
    const content = readMp3(concat(tag, ...frames, ascii('TAG'), new Uint8Array(125)))
    expect(content?.tag).toEqual(tag)
    expect(content?.frames.map(({ bytes }) => bytes)).toEqual(frames)
    expect(content?.added).toEqual({ before: 0, behind: 0 })
  })

  test('a frame of another rate is junk', () => {
    const file = concat(mp3Frame(MP3_MONO, 288), mp3Frame(MP3_STEREO, 417), mp3Frame(MP3_MONO, 288))
    expect(readMp3(file)?.frames).toHaveLength(2)
  })

  test('an Info frame alone, or less sound than the encoder added, has no length', () => {
    const info = mp3Frame(MP3_STEREO, 417).fill(0, 4)
    info.set(ascii('Xing'), 36)
    expect([readMp3(info), mp3Seconds(info)]).toEqual([undefined, undefined])
    info.set(ascii('LAME3.100'), 44)
    // 4095 samples before and 4095 behind the sound.
    info.set([255, 255, 255], 44 + 21)
    expect(mp3Seconds(concat(info, mp3Frame(MP3_STEREO, 417)))).toBeUndefined()
    expect(readMp3(concat(info, mp3Frame(MP3_STEREO, 417)))?.added).toEqual({ before: 4095, behind: 4095 })
  })

  test('only the first frame can hold an Info header', () => {
    const late = mp3Frame(MP3_STEREO, 417)
    late.set(ascii('Info'), 36)
    expect(readMp3(concat(mp3Frame(MP3_STEREO, 417), late))?.frames).toHaveLength(2)
  })
})

describe('FLAC', () => {
  const anotherBlock = flacHead(16_000, 1)
  anotherBlock[4] = 0x84

  test('STREAMINFO tells the length, beyond 32 bits too', () => {
    expect(flacSeconds(flacHead(192_000, 192_000 * 40_000))).toBe(40_000)
  })

  test.each([
    ['an open number of samples', flacHead(16_000, 0)],
    ['another first block', anotherBlock],
    ['half a STREAMINFO', flacHead(16_000, 1).subarray(0, 20)],
    ['another mark', ascii('fLaX'.repeat(20))],
  ])('a file with %s has no length', (_, file) => {
    expect(flacSeconds(file)).toBeUndefined()
  })

  test('a head gets its number of samples, of 36 bits, and its checksum, and keeps the rest', () => {
    const samples = 2 ** 35 + 7
    const head = flacHead(16_000, 0)
    completeFlacHead(head, samples)
    expect(head).toEqual(flacHead(16_000, samples))
    completeFlacHead(head, 8000, new Uint8Array(16).fill(9))
    expect(head).toEqual(concat(flacHead(16_000, 8000).subarray(0, 26), new Uint8Array(16).fill(9)))
    for (const other of [head.subarray(0, FLAC_HEAD_BYTES - 1), ascii('x'.repeat(50))])
      expect(() => completeFlacHead(other, 1)).toThrow(TypeError)
  })
})

describe('Ogg Opus', () => {
  const head = oggPage(0n, opusHead(312))
  const UNENDED = 0xff_ff_ff_ff_ff_ff_ff_ffn

  test('the length is the last position less the pre-skip, whatever another stream says', () => {
    const file = concat(
      head,
      oggPage(24_312n, SOUND),
      oggPage(48_312n, SOUND),
      oggPage(UNENDED, SOUND),
      oggPage(999_999n, SOUND, { serial: 2 }),
    )
    expect(oggOpusSeconds(file)).toBe(1)
  })

  test.each([
    ['only a head', head],
    ['another codec', oggPage(0n, concat(ascii('\u0001vorbis'), new Uint8Array(20)))],
    [
      'two chained streams',
      concat(
        head,
        oggPage(48_312n, SOUND),
        oggPage(0n, opusHead(312), { serial: 2, flags: 2 }),
        oggPage(48_312n, SOUND),
      ),
    ],
    ['half a page', head.subarray(0, 20)],
    ['no pages', ascii('x'.repeat(100))],
  ])('a file with %s has no length', (_, file) => {
    expect(oggOpusSeconds(file)).toBeUndefined()
  })

  test('a packet of several lacing values is passed over as a whole', () => {
    const long = new Uint8Array(300)
    const page = oggPage(48_312n, new Uint8Array())
    page[26] = 2
    const laced = concat(page.subarray(0, 27), Uint8Array.of(255, 45), long)
    expect(oggOpusSeconds(concat(oggPage(0n, opusHead(312)), laced, oggPage(96_312n, SOUND)))).toBe(2)
  })

  test('a file that is shorter than its pre-skip has no length', () => {
    expect(oggOpusSeconds(concat(oggPage(0n, opusHead(3840)), oggPage(3840n, SOUND)))).toBeUndefined()
    expect(oggOpusSeconds(concat(oggPage(0n, opusHead(3840)), oggPage(3888n, SOUND)))).toBe(0.001)
  })
})

describe('AAC', () => {
  test('a file is as long as its frames, which hold one block or more', () => {
    expect(adtsSeconds(concat(adtsFrame(200), adtsFrame(3000, { blocks: 2 }), adtsFrame(7)))).toBe((4 * 1024) / 16_000)
  })

  test('half a frame, or none, has no length', () => {
    for (const file of [adtsFrame(200).subarray(0, 150), ascii('no audio at all'), new Uint8Array()])
      expect(adtsSeconds(file)).toBeUndefined()
  })

  test('the content ends with the last whole frame, and begins after a tag', () => {
    const tag = id3(new Uint8Array(6))
    const file = concat(tag, adtsFrame(50), adtsFrame(60), adtsFrame(70).subarray(0, 69))
    expect(readAdts(file)).toEqual({ rate: 16_000, samples: 2048, start: 16, end: 126 })
  })

  test.each([
    [0, 96_000],
    [4, 44_100],
    [7, 22_050],
    [12, 7350],
  ])('rate index %i is %i Hz', (rateIndex, rate) => {
    expect(readAdts(adtsFrame(30, { rateIndex }))?.rate).toBe(rate)
  })

  test('a reserved rate, a length below its header and another layer are no frames', () => {
    expect(readAdts(adtsFrame(30, { rateIndex: 15 }))).toBeUndefined()
    const short = adtsFrame(30)
    short[4] = 0
    short[5] = (6 << 5) | 0x1f
    expect(readAdts(short)).toBeUndefined()
    const layer = adtsFrame(30)
    layer[1] = 0xf3
    expect(readAdts(layer)).toBeUndefined()
  })
})
