import { describe, expect, test } from 'vitest'
import { buzz, noise } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { pitchOf, PITCH_SAMPLES } from './pitch.ts'

function pitchAt(pcm: Buffer, from = 0): number | undefined {
  const samples = Int16Array.from({ length: PITCH_SAMPLES }, (_, index) => pcm.readInt16LE(2 * (from + index)))
  return pitchOf(samples)
}

describe('pitchOf', () => {
  test.each([58, 75, 90, 103.3, 130, 166, 210, 262, 310, 400, 470])('finds %d Hz within 1 %%', (pitch) => {
    for (const from of [0, 37, 1200]) {
      const found = pitchAt(buzz(pitch, 0.2), from)
      expect(Math.abs((found ?? 0) / pitch - 1)).toBeLessThan(0.01)
    }
  })

  test('finds the pitch of a pure tone', () => {
    const pcm = Buffer.alloc(PITCH_SAMPLES * 2)
    for (let index = 0; index < PITCH_SAMPLES; index += 1) {
      pcm.writeInt16LE(Math.round(10_000 * Math.sin((2 * Math.PI * 180 * index) / 16_000)), 2 * index)
    }
    expect(pitchAt(pcm)).toBeCloseTo(180, 0)
  })

  test('weaker second pulses do not cause an octave error', () => {
    const pcm = buzz(150, 0.2)
    const weak = buzz(75, 0.2)
    for (let index = 0; index < pcm.length / 2; index += 1) {
      pcm.writeInt16LE(Math.round(pcm.readInt16LE(2 * index) * 0.9 + weak.readInt16LE(2 * index) * 0.08), 2 * index)
    }
    expect(pitchAt(pcm)).toBeCloseTo(150, -0.5)
  })

  test('noise and silence have no pitch', () => {
    for (const from of [0, 1000, 2000]) expect(pitchAt(noise(0.2), from)).toBeUndefined()
    expect(pitchAt(Buffer.alloc(PITCH_SAMPLES * 2))).toBeUndefined()
  })

  test('a constant offset has no pitch', () => {
    expect(pitchOf(new Int16Array(PITCH_SAMPLES).fill(1000))).toBeUndefined()
  })

  test('loudness has no effect', () => {
    const quiet = buzz(140, 0.2)
    for (let at = 0; at < quiet.length; at += 2) quiet.writeInt16LE(Math.round(quiet.readInt16LE(at) / 100), at)
    expect(Math.abs((pitchAt(quiet) ?? 0) / 140 - 1)).toBeLessThan(0.01)
  })
})
