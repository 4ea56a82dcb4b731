import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { describe, expect, test, vi } from 'vitest'
import {
  barsOf,
  floatsToPcm16,
  type Levels,
  LEVELS_PER_SECOND,
  levelsOf,
  LevelTrack,
  pcmToFloats,
  PcmTrack,
  waveformPath,
} from './pcm.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** PCM whose sample number n has the value n modulo 1000. */
function ramp(from: number, frames: number): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: frames }, (_, at) => (from + at) % 1000).buffer)
}

function trackOf(frames: number, chunk: number): PcmTrack {
  const made = new PcmTrack(FORMAT)
  for (let at = 0; at < frames; at += chunk) made.append(ramp(at, Math.min(chunk, frames - at)))
  return made
}

describe('frames', () => {
  // 400,000 frames are three blobs and a rest.
  const made = trackOf(400_000, 1777)

  test.each([
    ['at the start', 0, 10],
    ['over the border of two blobs', 131_000, 4000],
    ['from a blob to the newest audio', 390_000, 10_000],
    ['of the newest audio', 399_990, 10],
  ])('%s are read in order', async (_case, from, count) => {
    const [samples] = await made.read(from, count)
    expect(samples).toEqual(Float32Array.from({ length: count }, (_, at) => ((from + at) % 1000) / 0x80_00))
  })

  test('frames that have not arrived are left out', async () => {
    expect((await made.read(399_995, 100))[0]).toHaveLength(5)
    expect((await made.read(500_000, 100))[0]).toHaveLength(0)
  })
})

test('the WAV equals that of the client', async () => {
  const wav = new Uint8Array(await (await trackOf(150_000, 999).wav()).arrayBuffer())
  expect(Buffer.compare(wav, encodeWav(FORMAT, [ramp(0, 150_000)]))).toBe(0)
})

test('8-bit samples become unsigned in a WAV', async () => {
  const format = { ...FORMAT, bitDepth: 8 }
  const made = new PcmTrack(format)
  const pcm = Uint8Array.of(0, 0x7f, 0x80)
  made.append(pcm)
  expect(new Uint8Array(await (await made.wav()).arrayBuffer())).toEqual(encodeWav(format, [pcm]))
})

test('a chunk that changes later does not change the track', async () => {
  const made = new PcmTrack(FORMAT)
  const chunk = ramp(1, 2)
  made.append(chunk)
  chunk.fill(0)
  expect(Array.from((await made.read(0, 2))[0] ?? [])).toEqual([1 / 0x80_00, 2 / 0x80_00])
})

test('subscribers hear of audio and of the end', () => {
  const made = new PcmTrack(FORMAT)
  const listener = vi.fn<() => void>()
  const unsubscribe = made.subscribe(listener)
  made.append(ramp(0, 16_000))
  made.finish('cut')
  unsubscribe()
  made.append(ramp(0, 1))
  expect(listener).toHaveBeenCalledTimes(2)
  expect([made.end, made.seconds]).toEqual(['cut', 16_001 / 16_000])
})

const stereo = { sampleRate: 16_000, channels: 2, bitDepth: 16 }

test('channels are separated', () => {
  const pcm = new Uint8Array(Int16Array.of(0x40_00, -0x40_00, 0, -0x80_00).buffer)
  expect(pcmToFloats(stereo, pcm)).toEqual([Float32Array.of(0.5, 0), Float32Array.of(-0.5, -1)])
})

test.each([
  [8, [0x40, 0xc0]],
  [16, [0, 0x40, 0, 0xc0]],
  [24, [0, 0, 0x40, 0, 0, 0xc0]],
  [32, [0, 0, 0, 0x40, 0, 0, 0, 0xc0]],
  [40, [9, 0, 0, 0, 0x40, 9, 0, 0, 0, 0xc0]],
])('%i bits a sample', (bitDepth, bytes) => {
  const format = { sampleRate: 16_000, channels: 1, bitDepth }
  expect(pcmToFloats(format, Uint8Array.from(bytes))).toEqual([Float32Array.of(0.5, -0.5)])
})

test('a view into a larger buffer is read from its offset', () => {
  const pcm = new Uint8Array([9, 9, 9, 0, 0x40, 0, 0xc0]).subarray(3)
  expect(pcmToFloats({ ...stereo, channels: 1 }, pcm)).toEqual([Float32Array.of(0.5, -0.5)])
})

test('samples become 16-bit PCM, and louder samples are clipped', () => {
  const pcm = floatsToPcm16(Float32Array.of(0, 1, -1, 2, -2, 0.5))
  const expected = [0, 32_767, -32_767, 32_767, -32_767, 16_384]
  expect([...new Int16Array(pcm.buffer)]).toEqual(expected)
})

const RATE = 1000

/** Words of 0.2 s, with pauses of 0.05 s between them. Each second is as loud as its voice happens to be. */
function words(seconds: number): Float32Array {
  const loudness = Float32Array.from({ length: seconds }, (_, second) => 0.4 + 0.5 * Math.abs(Math.sin(second * 12.99)))
  return Float32Array.from({ length: seconds * RATE }, (_, at) =>
    at % 250 < 200 ? (loudness[Math.floor(at / RATE)] ?? 0) : 0,
  )
}

test('a level is the loudest sample of its twentieth of a second', () => {
  const meter = new LevelTrack(RATE)
  meter.push(Float32Array.from({ length: RATE / LEVELS_PER_SECOND }, (_, at) => (at === 3 ? -0.75 : 0.1)))
  expect([meter.length, meter.at(0), meter.at(1)]).toEqual([1, 0.75, 0])
})

test('the pieces of a stream give the same levels as the whole', () => {
  const samples = words(3)
  const meter = new LevelTrack(RATE)
  for (let at = 0; at < samples.length; at += 37) meter.push(samples.subarray(at, at + 37))
  const whole = levelsOf(samples, RATE)
  expect(Array.from({ length: meter.length }, (_, at) => meter.at(at))).toEqual(
    Array.from({ length: whole.length }, (_, at) => whole.at(at)),
  )
  expect(meter.length).toBe(3 * LEVELS_PER_SECOND)
})

test('half an hour of levels is held', () => {
  const meter = new LevelTrack(LEVELS_PER_SECOND)
  meter.push(new Float32Array(1800 * LEVELS_PER_SECOND).fill(0.5))
  expect([meter.length, meter.at(35_999)]).toEqual([36_000, 0.5])
})

test('the bars of half an hour are no solid block: loud and quiet bars stand side by side', () => {
  const levels = levelsOf(words(1800), RATE)
  const bars = barsOf(levels, 1800, 120)
  expect(Math.max(...bars) - Math.min(...bars)).toBeGreaterThan(0.15)
  expect(new Set(bars.map((bar) => bar.toFixed(2))).size).toBeGreaterThan(5)
})

test('bars after the end of the received audio are empty', () => {
  const levels = levelsOf(new Float32Array(RATE).fill(0.5), RATE)
  expect(barsOf(levels, 2, 4)).toEqual([0.5, 0.5, 0, 0])
})

/** Ten seconds: the first half loud, the second half silent. */
const LEVELS = levelsOf(
  Float32Array.from({ length: 1000 }, (_, index) => (index < 500 ? 0.8 : 0)),
  100,
)

interface Bar {
  readonly y: number
  /** With the round ends. */
  readonly height: number
}

/** Draws 200 to 72 pixels. @returns the bars from left to right */
function draw(levels: Levels | undefined = LEVELS, duration = 10): readonly Bar[] {
  const lines = [...waveformPath(levels, duration, 200, 72).matchAll(/M[\d.]+ ([\d.]+)v([\d.]+)/g)]
  return lines.map(([, y, length]) => ({ y: Number(y) - 1.5, height: Number(length) + 3 }))
}

test('is high where the audio is loud, and low where it is silent', () => {
  const heights = draw().map(({ height }) => height)
  expect(heights).toHaveLength(40)
  expect(Math.min(...heights.slice(0, 19))).toBe(72)
  expect(Math.max(...heights.slice(21))).toBeCloseTo(3, 0)
})

test('a waveform without levels is a flat line in the middle', () => {
  const bars = [...waveformPath(undefined, 0, 200, 72).matchAll(/M[\d.]+ ([\d.]+)v([\d.]+)/g)]
  expect(new Set(bars.map(([, y, length]) => `${y},${length}`))).toEqual(new Set(['36.0,0.1']))
})

test('a waveform scales quiet speech to the full height, but not noise', () => {
  const quiet = (size: number): number =>
    Math.max(...draw(levelsOf(new Float32Array(1000).fill(size), 100)).map(({ height }) => height))
  expect(quiet(0.1)).toBe(72)
  expect(quiet(0.01)).toBeLessThan(20)
})

test('a waveform takes as many bars for an hour as for a second', () => {
  expect(draw(LEVELS, 3600)).toHaveLength(draw(LEVELS, 1).length)
})

/** PCM of 16 bits whose sample number n has the value n. */
const ramp16 = (samples: number): Uint8Array =>
  new Uint8Array(Int16Array.from({ length: samples }, (_, at) => at).buffer)

describe.each([
  ['stereo', { sampleRate: 8000, channels: 2, bitDepth: 16 }],
  ['24 bits', { sampleRate: 8000, channels: 1, bitDepth: 24 }],
  ['8 bits', { sampleRate: 8000, channels: 1, bitDepth: 8 }],
] as const)('a track of %s', (_case, format: PcmFormat) => {
  const size = (format.channels * format.bitDepth) / 8
  // An odd number of frames: a WAV of an odd number of bytes has one byte of padding.
  const frames = 401
  const pcm = Uint8Array.from({ length: frames * size }, (_, at) => (at * 37) % 256)

  test.each([1, 7, 400])('that arrives in chunks of %d frames is the same track', async (chunk) => {
    const track = new PcmTrack(format)
    for (let at = 0; at < frames; at += chunk) track.append(pcm.subarray(at * size, (at + chunk) * size))
    expect([track.frames, track.bytes, track.seconds]).toEqual([frames, pcm.length, frames / 8000])
    expect(new Uint8Array(await (await track.wav()).arrayBuffer())).toEqual(encodeWav(format, [pcm]))
    const whole = new PcmTrack(format)
    whole.append(pcm)
    expect(await track.read(3, 390)).toEqual(await whole.read(3, 390))
    expect(Array.from({ length: track.levels.length }, (_, at) => track.levels.at(at))).toEqual(
      Array.from({ length: whole.levels.length }, (_, at) => whole.levels.at(at)),
    )
  })
})

test('frames of two channels are read over the border of a blob', async () => {
  const track = new PcmTrack({ sampleRate: 8000, channels: 2, bitDepth: 16 })
  // Five chunks of 64,000 bytes become one blob. The sixth is the newest audio.
  const chunk = ramp16(32_000)
  for (let round = 0; round < 6; round += 1) track.append(chunk)
  const [left, right] = await track.read(79_998, 4)
  expect(Array.from(left ?? [], (sample) => sample * 0x80_00)).toEqual([31_996, 31_998, 0, 2])
  expect(Array.from(right ?? [], (sample) => sample * 0x80_00)).toEqual([31_997, 31_999, 1, 3])
})

test('a track without audio has a WAV without samples', async () => {
  const format = { sampleRate: 8000, channels: 1, bitDepth: 16 }
  const track = new PcmTrack(format)
  expect([track.seconds, track.end, track.levels.length]).toEqual([0, 'open', 0])
  expect(new Uint8Array(await (await track.wav()).arrayBuffer())).toEqual(encodeWav(format, []))
})
