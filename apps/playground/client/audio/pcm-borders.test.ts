import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { describe, expect, test } from 'vitest'
import { PcmTrack } from './pcm.ts'

/** PCM of 16 bits whose sample number n has the value n. */
const ramp = (samples: number): Uint8Array => new Uint8Array(Int16Array.from({ length: samples }, (_, at) => at).buffer)

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
  const chunk = ramp(32_000)
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
