import { encodeWav, readWav } from '@svc-audio/core/audio'
import { adtsSeconds, aigcChunk, mp3Seconds, readAdts, readAigc, readMp3, wavSeconds } from '@svc-audio/core/adapter'
import {
  adtsFrame,
  ascii,
  chunk,
  concat,
  id3,
  MP3_MONO,
  MP3_STEREO,
  mp3Frame,
  riff,
  seeded,
  wavFormat,
  wavOf,
} from '@svc-audio/kit/hosts/audio-files'
import { describe, expect, test } from 'vitest'
import { UnjoinableError } from '../errors.ts'
import { createJoiner, pieceFormatOf } from './index.ts'
import type { PieceEdges } from './joiner.ts'
import { fadeEdges, level, loudness, toSamples, withoutEdges } from './wav.ts'

const BOTH: PieceEdges = { clipStart: true, clipEnd: true }
const NEITHER: PieceEdges = { clipStart: false, clipEnd: false }
const LAYOUT = { sampleRate: 16_000, channels: 1 }
const REMEDY = "Set segmentBy: 'page' or another response_format"
const fill = (length: number, value: number): number[] => Array<number>(length).fill(value)
const samplesOf = (file: Uint8Array): number[] => [...toSamples(readWav(file)?.samples ?? new Uint8Array())]

describe('the choice of a joiner', () => {
  test.each(['wav', 'mp3', 'aac'] as const)('%s can be joined', (format) => {
    expect(createJoiner(format, 1).places).toEqual([])
  })

  test.each(['flac', 'opus'] as const)('%s cannot be joined', (format) => {
    expect(() => createJoiner(format, 1)).toThrow(`${format} cannot be joined`)
  })

  test.each([
    ['flac', false, 'wav'],
    ['flac', true, 'wav'],
    ['opus', true, 'wav'],
    ['opus', false, 'wav'],
    ['mp3', false, 'mp3'],
    ['aac', true, 'wav'],
  ] as const)('pieces of %s, with an encoder: %s, are %s', (format, hasEncoder, pieces) => {
    expect(pieceFormatOf(format, hasEncoder)).toBe(pieces)
  })

  test.each(['wav', 'mp3'] as const)('nothing joined is no file of %s', (format) => {
    expect(() => createJoiner(format, 0).finish()).toThrow('There is nothing to join')
  })

  test('the error names format, reason and remedy', () => {
    expect(new UnjoinableError('mp3', 'it is odd').message).toBe(
      `The mp3 audio of two segments cannot be joined: it is odd. ${REMEDY}`,
    )
  })
})

describe('samples', () => {
  test('half a sample is dropped, and the bytes are copied', () => {
    const bytes = Uint8Array.of(0, 1, 2, 3, 4).subarray(1)
    const samples = toSamples(Buffer.from(bytes.buffer, 1, 3))
    expect([...samples]).toEqual([0x02_01])
    samples[0] = 7
    expect(bytes[0]).toBe(1)
  })

  test.each([
    ['both edges', BOTH, [900, 0, -900]],
    ['the start', { clipStart: true, clipEnd: false }, [900, 0, -900, 32, 0]],
    ['the end', { clipStart: false, clipEnd: true }, [0, -32, 900, 0, -900]],
    ['no edge', NEITHER, [0, -32, 900, 0, -900, 32, 0]],
  ])('silence of up to 32 is clipped at %s, never inside', (_, edges, left) => {
    const samples = Int16Array.of(0, -32, 900, 0, -900, 32, 0)
    expect([...withoutEdges(samples, 1, edges)]).toEqual(left)
  })

  test('a frame stays whole when only one of its channels sounds', () => {
    const samples = Int16Array.of(0, 0, 0, 500, 500, 0, 0, 0)
    expect([...withoutEdges(samples, 2, BOTH)]).toEqual([0, 500, 500, 0])
  })

  test('silence alone is content', () => {
    expect(withoutEdges(new Int16Array(6), 1, BOTH)).toHaveLength(6)
    expect(withoutEdges(new Int16Array(0), 1, BOTH)).toHaveLength(0)
  })

  test.each([
    ['that sounds', [1, 2, 900, 900, 900]],
    ['of silence', [0, 0, 0, 0, 0]],
  ])('half a frame at the end of a piece %s is dropped', (_, samples) => {
    for (const edges of [BOTH, NEITHER]) expect(withoutEdges(Int16Array.from(samples), 2, edges).length % 2).toBe(0)
  })

  test('edges fade over 2 ms from nothing, alike on both sides and in all channels', () => {
    const samples = new Int16Array(400).fill(10_000)
    fadeEdges(samples, { sampleRate: 16_000, channels: 2 })
    expect([samples[0], samples[1], samples[398], samples[399]]).toEqual([0, 0, 0, 0])
    expect([samples[32], samples[33], samples[366], samples[367]]).toEqual([5000, 5000, 5000, 5000])
    expect(samples.subarray(64, 336).every((sample) => sample === 10_000)).toBe(true)
  })

  test('a piece shorter than two fades is faded to its middle', () => {
    const samples = Int16Array.of(100, 100, 100, 100)
    fadeEdges(samples, LAYOUT)
    expect([...samples]).toEqual([0, 50, 50, 0])
  })

  test('samples loudness is that of the louder half of the windows, so pauses do not count', () => {
    const speech = fill(1600, 1000)
    expect(loudness(Int16Array.from(speech), LAYOUT)).toBe(1000)
    expect(loudness(Int16Array.from([...speech, ...fill(1600, 0)]), LAYOUT)).toBe(1000)
    expect(loudness(new Int16Array(1600), LAYOUT)).toBe(0)
    expect(loudness(new Int16Array(), LAYOUT)).toBe(0)
  })

  test.each([
    ['a quiet piece by at most 9 dB', 100, 282],
    ['a loud piece by at most 9 dB', 8000, 2839],
    ['a piece to the median', 800, 1000],
    ['no piece within 1 dB', 920, 920],
    ['no silent piece', 20, 20],
  ])('level scales %s', (_, own, scaled) => {
    const pieces = [own, 1000, 1000, 1000].map((value) => new Int16Array(1600).fill(value))
    level(pieces, LAYOUT)
    expect(pieces.map((piece) => piece[800])).toEqual([scaled, 1000, 1000, 1000])
  })

  test('level clips no peak: a piece grows until 1 dB below full scale, and a louder peak stays', () => {
    const quiet = new Int16Array(1600).fill(1000)
    const [peaked, full] = [quiet.slice(), quiet.slice()]
    peaked[1500] = 20_000
    full[1500] = 32_767
    const loud = [0, 1, 2].map(() => new Int16Array(1600).fill(9000))
    const heads = [peaked, full].map((piece) => piece.subarray(0, 1600))
    level([...heads, ...loud], LAYOUT)
    expect(Math.max(...peaked)).toBeLessThanOrEqual(29_205)
    expect(Math.max(...peaked)).toBeGreaterThan(20_000)
    expect(full[1500]).toBe(32_767)
  })
})

describe('WAV', () => {
  const tone = fill(1600, 1000)

  test('places lie between the gaps, and the file is as long as its last place', () => {
    const joiner = createJoiner('wav', 0.25)
    for (const length of [1600, 800, 3200]) joiner.add(wavOf(fill(length, 1000)), BOTH)
    expect(joiner.places).toEqual([
      { startSecond: 0, endSecond: 0.1 },
      { startSecond: 0.35, endSecond: 0.4 },
      { startSecond: 0.65, endSecond: 0.85 },
    ])
    expect(wavSeconds(joiner.finish())).toBe(0.85)
  })

  test('the stream is the file but for the sizes of its header, when the loudness is one', () => {
    const joiner = createJoiner('wav', 0.01)
    const stream = concat(joiner.add(wavOf(tone), BOTH), joiner.add(wavOf(tone), BOTH))
    expect(samplesOf(stream)).toEqual(samplesOf(joiner.finish()))
    expect(stream.subarray(40, 44)).not.toEqual(joiner.finish().subarray(40, 44))
  })

  test('silent edges between two pieces give way to the gap', () => {
    const joiner = createJoiner('wav', 0.1)
    const padded = [...fill(500, 0), ...tone, ...fill(700, 0)]
    joiner.add(wavOf(padded), { clipStart: false, clipEnd: true })
    joiner.add(wavOf(padded), { clipStart: true, clipEnd: false })
    expect(joiner.places[0]).toEqual({ startSecond: 0, endSecond: 2100 / 16_000 })
    expect(joiner.places[1]).toEqual({ startSecond: 3700 / 16_000, endSecond: 6000 / 16_000 })
  })

  test('the marking of the first piece is that of the file, and of no other', () => {
    const marked = (marking: string | undefined): Uint8Array =>
      encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(640)], aigcChunk(marking))
    const joined = (...markings: readonly (string | undefined)[]): Uint8Array => {
      const joiner = createJoiner('wav', 0)
      for (const marking of markings) joiner.add(marked(marking), NEITHER)
      return joiner.finish()
    }
    expect(readAigc(joined('{"first":1}', '{"second":2}'))).toBe('{"first":1}')
    expect(readAigc(joined(undefined, '{"second":2}'))).toBeUndefined()
  })

  test.each([
    ['8 bits', riff(wavFormat({ bits: 8 }), chunk('data', new Uint8Array(8))), 'a segment is not 16-bit PCM'],
    ['float', riff(wavFormat({ kind: 3, bits: 32 }), chunk('data', new Uint8Array(8))), 'a segment is not 16-bit PCM'],
    ['text', ascii('no audio'), 'a segment is not 16-bit PCM'],
    ['another rate', wavOf(tone, { rate: 8000 }), 'one is 16000 Hz with 1 channel, another 8000 Hz with 1 channel'],
    ['other channels', wavOf(tone, { channels: 2 }), 'another 16000 Hz with 2 channels'],
  ])('a piece of %s is refused, and changes nothing', (_, piece, reason) => {
    const joiner = createJoiner('wav', 0)
    joiner.add(wavOf(tone), BOTH)
    const before = joiner.finish()
    expect(() => joiner.add(piece, BOTH)).toThrow(reason)
    expect(() => joiner.add(piece, BOTH)).toThrow(UnjoinableError)
    expect(joiner.places).toHaveLength(1)
    expect(Buffer.compare(joiner.finish(), before)).toBe(0)
  })

  test('a stereo piece cut within a frame does not exchange the channels of the next', () => {
    const joiner = createJoiner('wav', 0)
    const left = fill(800, 0).flatMap(() => [1000, 0])
    joiner.add(wavOf(left.slice(0, -1), { channels: 2 }), NEITHER)
    joiner.add(wavOf(left, { channels: 2 }), NEITHER)
    const right = samplesOf(joiner.finish()).filter((_, index) => index % 2 === 1)
    expect(right.every((sample) => sample === 0)).toBe(true)
    expect(joiner.places[1]?.startSecond).toBe(799 / 16_000)
  })

  test('places of any pieces are in order, a gap apart, and end with the file', () => {
    const below = seeded(4)
    for (let round = 0; round < 20; round += 1) {
      const joiner = createJoiner('wav', below(100) / 100)
      const channels = below(2) + 1
      for (let count = below(5) + 1; count > 0; count -= 1) {
        const samples = Array.from({ length: (below(400) + 1) * channels }, () => below(4000) - 2000)
        joiner.add(wavOf(samples, { channels }), { clipStart: below(2) === 0, clipEnd: below(2) === 0 })
      }
      let end = 0
      for (const place of joiner.places) {
        expect(place.startSecond).toBeGreaterThanOrEqual(end)
        expect(place.endSecond).toBeGreaterThanOrEqual(place.startSecond)
        end = place.endSecond
      }
      expect(wavSeconds(joiner.finish())).toBeCloseTo(end, 9)
    }
  })
})

describe('MP3', () => {
  const piece = (frames: number, header = MP3_MONO, bytes = 288): Uint8Array =>
    concat(...Array<Uint8Array>(frames).fill(mp3Frame(header, bytes)))
  const FRAME = 576 / 16_000

  test('a gap is the nearest number of silent frames, and belongs to no place', () => {
    const joiner = createJoiner('mp3', 0.1)
    joiner.add(piece(3), BOTH)
    const added = joiner.add(piece(2), BOTH)
    // 0.1 seconds are 2.8 frames.
    expect(readMp3(added)?.frames).toHaveLength(3 + 2)
    expect(joiner.places[0]).toEqual({ startSecond: 0, endSecond: (3 * 576) / 16_000 })
    expect(joiner.places[1]).toEqual({ startSecond: (6 * 576) / 16_000, endSecond: (8 * 576) / 16_000 })
    expect(mp3Seconds(joiner.finish())).toBeCloseTo(8 * FRAME, 10)
  })

  test('the Info frame counts the frames and bytes that follow the tag', () => {
    const tag = id3(ascii('the marking'))
    const joiner = createJoiner('mp3', 0)
    joiner.add(concat(tag, piece(3)), BOTH)
    joiner.add(concat(id3(ascii('another')), piece(2)), BOTH)
    const file = Buffer.from(joiner.finish())
    expect(file.subarray(0, tag.byteLength)).toEqual(Buffer.from(tag))
    expect(file.includes('another')).toBe(false)
    const info = file.indexOf('Info')
    expect(info).toBe(tag.byteLength + 13)
    expect(file.readUInt32BE(info + 8)).toBe(5)
    expect(file.readUInt32BE(info + 12)).toBe(file.byteLength - tag.byteLength)
  })

  test('a variable bit rate is marked as such', () => {
    const joiner = createJoiner('mp3', 0)
    joiner.add(piece(2), BOTH)
    // 32 kbit/s.
    joiner.add(piece(2, 0xff_f3_48_c4, 144), BOTH)
    const file = Buffer.from(joiner.finish())
    expect([file.indexOf('Xing'), file.indexOf('Info')]).toEqual([13, -1])
    expect(mp3Seconds(file)).toBeCloseTo(4 * FRAME, 10)
  })

  test('what the encoder added to a piece is outside of its place', () => {
    const info = mp3Frame(MP3_STEREO, 417).fill(0, 4)
    info.set(ascii('Info'), 36)
    info.set(ascii('LAME3.100'), 44)
    // 576 samples before the sound, and 1000 behind.
    info.set([576 >> 4, ((576 & 15) << 4) | (1000 >> 8), 1000 & 255], 44 + 21)
    const joiner = createJoiner('mp3', 0)
    joiner.add(concat(info, piece(5, MP3_STEREO, 417)), BOTH)
    expect(joiner.places).toEqual([{ startSecond: 576 / 44_100, endSecond: (5 * 1152 - 1000) / 44_100 }])
    expect(readMp3(joiner.finish())?.frames).toHaveLength(5)
  })

  test('the smallest bit rate with room for the Info frame is taken', () => {
    // 8 kbit/s at 16 kHz: frames of 36 bytes.
    const joiner = createJoiner('mp3', 0)
    joiner.add(piece(4, 0xff_f3_18_c4, 36), BOTH)
    // 16 kbit/s has 72 bytes, the first size of at least 64.
    expect(joiner.finish().byteLength).toBe(72 + 4 * 36)
  })

  test.each([
    ['text', ascii('no audio at all'), 'a segment has no MP3 frames with a bit rate'],
    ['a free bit rate', mp3Frame(0xff_f3_08_c4, 288), 'a segment has no MP3 frames with a bit rate'],
    ['another rate', mp3Frame(MP3_STEREO, 417), 'another 44100 Hz in stereo'],
    ['other channels', mp3Frame(0xff_f3_88_04, 288), 'another 16000 Hz in stereo'],
  ])('a piece of %s is refused, and changes nothing', (_, wrong, reason) => {
    const joiner = createJoiner('mp3', 0)
    joiner.add(piece(2), BOTH)
    const before = joiner.finish()
    expect(() => joiner.add(wrong, BOTH)).toThrow(`${reason}. ${REMEDY}`)
    expect(Buffer.compare(joiner.finish(), before)).toBe(0)
  })
})

describe('AAC', () => {
  test('pieces follow each other without a gap, with the tag of the first', () => {
    const tag = id3(ascii('the marking'))
    const joiner = createJoiner('aac', 5)
    joiner.add(concat(tag, adtsFrame(40), adtsFrame(50)), BOTH)
    const added = joiner.add(concat(id3(ascii('another')), adtsFrame(60), adtsFrame(70).subarray(0, 20)), BOTH)
    expect(added).toEqual(adtsFrame(60))
    const file = joiner.finish()
    expect(readAdts(file)).toMatchObject({ start: tag.byteLength, samples: 3072 })
    expect(joiner.places[1]).toEqual({ startSecond: 0.128, endSecond: 0.192 })
    expect(adtsSeconds(file)).toBe(0.192)
  })

  test('another rate, or no frames, is refused', () => {
    const joiner = createJoiner('aac', 0)
    joiner.add(adtsFrame(40), BOTH)
    expect(() => joiner.add(adtsFrame(40, { rateIndex: 4 }), BOTH)).toThrow('one is 16000 Hz, another 44100 Hz')
    expect(() => joiner.add(ascii('nothing'), BOTH)).toThrow('a segment has no ADTS frames')
    expect(joiner.places).toHaveLength(1)
  })
})

const EDGES = { clipStart: true, clipEnd: true }

/** A tone of this length, in seconds, at 16 kHz. */
const tone = (seconds: number, peak = 9000): number[] =>
  Array.from({ length: seconds * 16_000 }, (_, index) => Math.round(peak * Math.sin(index / 7)))

test('the pauses of a WAV segment are its silences of 0.07 seconds and longer, also with noise in them', () => {
  const joiner = createJoiner('wav', 0.5)
  joiner.add(wavOf(tone(1)), EDGES)
  joiner.add(wavOf([...tone(0.5), ...tone(0.3, 40), ...tone(0.5), ...tone(0.05, 0), ...tone(0.5)]), EDGES)
  const [first, second] = joiner.places
  expect(first?.pauses).toBeUndefined()
  expect(second?.pauses?.map((pause) => [pause.startSecond, pause.endSecond])).toEqual([[2, 2.3]])
})
