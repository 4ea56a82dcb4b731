import { encodeWav } from '@svc-audio/core/audio'
import { aigcChunk, oggOpusSeconds } from '@svc-audio/core/adapter'
import Opus from 'opusscript'
import { describe, expect, test } from 'vitest'
import { encodeOpus, OpusEncoder } from './opus.ts'
import { WavEncoder } from './index.ts'

const PRE_SKIP = 312
const MARKING = '{"AIGC":{"Label":"1"}}'

interface Page {
  readonly flags: number
  readonly position: number
  readonly sequence: number
  readonly packets: readonly Buffer[]
}

/** Syllables: tones with gaps between them. */
function speech(seconds: number, rate: number, channels = 1): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * rate) * channels }, (_, index) => {
    const second = Math.floor(index / channels) / rate
    return Math.round(9000 * Math.sin(2 * Math.PI * 220 * second) * Math.max(0, Math.sin(2 * Math.PI * 2.5 * second)))
  })
}

function wav(samples: Int16Array, sampleRate: number, channels = 1, marking?: string): Uint8Array {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return encodeWav({ sampleRate, channels, bitDepth: 16 }, [bytes], aigcChunk(marking))
}

/** The pages of a file (RFC 3533), read apart from the code that writes them. */
function pagesOf(file: Uint8Array): Page[] {
  const bytes = Buffer.from(file)
  const pages: Page[] = []
  for (let at = 0; at < bytes.byteLength;) {
    expect(bytes.toString('latin1', at, at + 4)).toBe('OggS')
    const entries = [...bytes.subarray(at + 27, at + 27 + bytes.readUInt8(at + 26))]
    const packets: Buffer[] = []
    let [from, to] = [at + 27 + entries.length, at + 27 + entries.length]
    for (const entry of entries) {
      to += entry
      if (entry === 255) continue
      packets.push(bytes.subarray(from, to))
      from = to
    }
    pages.push({
      flags: bytes.readUInt8(at + 5),
      position: Number(bytes.readBigUInt64LE(at + 6)),
      sequence: bytes.readUInt32LE(at + 18),
      packets,
    })
    at = to
  }
  return pages
}

/** Decodes with libopus: the samples at 48 kHz of the first channel, without the pre-skip and what follows the end. */
function decode(file: Uint8Array, channels = 1): Float64Array {
  const pages = pagesOf(file)
  const opus = new Opus(48_000, channels, Opus.Application.AUDIO)
  const pcm = Buffer.concat(pages.slice(2).flatMap(({ packets }) => packets.map((packet) => opus.decode(packet))))
  opus.delete()
  const end = pages.at(-1)?.position ?? 0
  return Float64Array.from({ length: end - PRE_SKIP }, (_, at) => pcm.readInt16LE((at + PRE_SKIP) * channels * 2))
}

/** Root mean square of the samples. */
const loudness = (samples: Float64Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

describe('a WAV file as Ogg Opus', () => {
  test.each([
    ['shorter than a packet', 0.005, 16_000, 1],
    ['as long as a packet', 0.02, 16_000, 1],
    ['of some seconds', 3.3, 16_000, 1],
    ['at a telephone rate', 1.7, 8000, 1],
    ['in stereo', 1.5, 24_000, 2],
    ['at a rate that Opus does not have', 2.1, 22_050, 1],
    ['in stereo, at a rate that Opus does not have', 1.3, 44_100, 2],
    ['at the highest rate', 1, 96_000, 1],
  ])('%s keeps its length and its sound', async (_, seconds, rate, channels) => {
    const samples = speech(seconds, rate, channels)
    const file = await encodeOpus(wav(samples, rate, channels))
    const length = Math.round((samples.length / channels / rate) * 48_000)
    expect(oggOpusSeconds(file)).toBe(length / 48_000)
    const decoded = decode(file, channels)
    expect(decoded).toHaveLength(length)
    if (seconds < 1) return
    const ideal = Float64Array.from({ length }, (__, at) => samples[Math.round((at / 48_000) * rate) * channels] ?? 0)
    // Not the waveform, which Opus does not keep: the strength of each tenth of a second.
    for (let from = 0; from + 4800 <= length; from += 4800) {
      const [own, wanted] = [decoded, ideal].map((all) => loudness(all.subarray(from, from + 4800)))
      expect(Math.abs((own ?? 0) - (wanted ?? 0))).toBeLessThan(900)
    }
  })

  test('the sound is where it was, to half a millisecond', async () => {
    const samples = new Int16Array(16_000)
    const click = speech(0.2, 16_000).map((sample) => sample * 2)
    samples.set(click, 8000)
    const decoded = decode(await encodeOpus(wav(samples, 16_000)))
    const ideal = Float64Array.from(decoded, (_, at) => samples[Math.floor(at / 3)] ?? 0)
    const likeness = (shift: number): number =>
      ideal.reduce((sum, sample, at) => sum + sample * (decoded[at + shift] ?? 0), 0)
    const shifts = Array.from({ length: 193 }, (_, index) => index - 96)
    const best = shifts.reduce((a, b) => (likeness(b) > likeness(a) ? b : a))
    expect(Math.abs(best)).toBeLessThanOrEqual(24)
  })

  test('the pages are numbered, hold at most a second, and begin and end the stream (RFC 3533, RFC 7845)', async () => {
    const file = await encodeOpus(wav(speech(3.3, 16_000), 16_000))
    const pages = pagesOf(file)
    expect(pages.map(({ sequence }) => sequence)).toEqual(pages.map((_, index) => index))
    expect(pages.map(({ flags }) => flags)).toEqual([2, ...pages.slice(2).map(() => 0), 4])
    expect(pages.map(({ position }) => position)).toEqual([0, 0, 48_000, 96_000, 144_000, 3.3 * 48_000 + PRE_SKIP])
    expect(pages[0]?.packets[0]?.toString('latin1', 0, 8)).toBe('OpusHead')
    expect(pages[1]?.packets[0]?.toString('latin1', 0, 8)).toBe('OpusTags')
  })

  test('a page holds at most 255 entries, so long packets of stereo come in shorter pages', async () => {
    const noise = Int16Array.from({ length: 4 * 48_000 * 2 }, (_, index) => ((index * 7919 * 31) % 40_000) - 20_000)
    for (const { packets } of pagesOf(await encodeOpus(wav(noise, 48_000, 2)))) {
      const entries = packets.reduce((sum, { byteLength }) => sum + Math.floor(byteLength / 255) + 1, 0)
      expect(entries).toBeLessThanOrEqual(255)
    }
  })

  test('the marking is a comment of the file', async () => {
    const file = Buffer.from(await encodeOpus(wav(speech(0.2, 16_000), 16_000, 1, MARKING)))
    const field = `AIGC=${MARKING}`
    const at = file.indexOf(field)
    expect(at).toBeGreaterThan(file.indexOf('OpusTags'))
    expect(file.readUInt32LE(at - 4)).toBe(field.length)
  })

  test('speech takes about 3 KB per second, and the same samples give the same bytes', async () => {
    const source = wav(speech(20, 16_000), 16_000)
    const [one, two] = await Promise.all([encodeOpus(source), encodeOpus(source)])
    expect(one.byteLength / 20).toBeLessThan(3300)
    expect(Buffer.compare(one, two)).toBe(0)
  })

  test.each([
    [
      '8-bit samples',
      encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 8 }, [new Uint8Array(100)]),
      'is not 16-bit',
    ],
    ['three channels', wav(new Int16Array(300), 16_000, 3), 'a segment has 3 channels'],
  ])('%s are refused', async (_, source, message) => {
    await expect(encodeOpus(source)).rejects.toThrow(message)
  })
})

test.each([16_000, 22_050])('a stream in pieces at %i Hz is the file of the whole', async (rate) => {
  const file = wav(speech(4, rate), rate)
  const stream = new WavEncoder((layout) => OpusEncoder.open(layout))
  const parts: Uint8Array[] = []
  for (const [from, to] of [
    [0, 44 + rate * 2],
    [44 + rate * 2, 44 + rate * 2 + 4002],
    [44 + rate * 2 + 4002, file.byteLength],
  ])
    parts.push(await stream.write(file.subarray(from, to)))
  parts.push(stream.end())
  stream.close()
  expect(Buffer.compare(Buffer.concat(parts), await encodeOpus(file))).toBe(0)
})
