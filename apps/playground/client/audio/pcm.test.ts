import { encodeWav } from '@svc-audio/core/audio'
import { describe, expect, test, vi } from 'vitest'
import { PcmTrack } from './pcm.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** PCM whose sample number n has the value n modulo 1000. */
function ramp(from: number, frames: number): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: frames }, (_, at) => (from + at) % 1000).buffer)
}

function track(frames: number, chunk: number): PcmTrack {
  const made = new PcmTrack(FORMAT)
  for (let at = 0; at < frames; at += chunk) made.append(ramp(at, Math.min(chunk, frames - at)))
  return made
}

describe('frames', () => {
  // 400,000 frames are three blobs and a rest.
  const made = track(400_000, 1777)

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
  const wav = new Uint8Array(await (await track(150_000, 999).wav()).arrayBuffer())
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
