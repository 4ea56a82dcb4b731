import { describe, expect, test } from 'vitest'
import { PCM_FORMAT, speechAudio, tone, toneWav, wavFile } from './speech-audio.ts'

const samplesOf = (pcm: Buffer): number[] =>
  Array.from({ length: pcm.byteLength / 2 }, (_, index) => pcm.readInt16LE(index * 2))

describe('a tone', () => {
  test('has its length, and whole frames', () => {
    expect([0, 0.5, 1, 1 / 7].map((seconds) => tone(seconds).byteLength)).toEqual([0, 24_000, 48_000, 6858])
  })

  test('has its pitch: two zero crossings for each cycle', () => {
    for (const hertz of [220, 440, 1000]) {
      const samples = samplesOf(tone(1, hertz))
      const crossings = samples.filter((sample, index) => sample < 0 !== (samples[index - 1] ?? 0) < 0).length
      expect(Math.abs(crossings - 2 * hertz)).toBeLessThanOrEqual(1)
    }
  })

  test('is loud enough to be heard, and does not clip', () => {
    const loudest = Math.max(...samplesOf(tone(0.1)))
    expect(loudest).toBeGreaterThan(7900)
    expect(loudest).toBeLessThanOrEqual(8000)
  })

  test('is identical in every run', () => {
    expect(tone(0.1)).toEqual(tone(0.1))
    expect(tone(0.1)).toEqual(tone(0.1, 440))
  })
})

describe('a WAV file', () => {
  test('states its format and its true sizes', () => {
    const file = wavFile(Buffer.from([1, 0, 2, 0]))
    expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([file.byteLength - 8, 4])
    const { sampleRate, channels, bitDepth } = PCM_FORMAT
    expect([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([
      channels,
      sampleRate,
      bitDepth,
    ])
    expect([file.readUInt32LE(28), file.readUInt16LE(32)]).toEqual([48_000, 2])
    expect([...file.subarray(44)]).toEqual([1, 0, 2, 0])
  })

  test('of a number is that many bytes of silence', () => {
    expect(wavFile(6)).toEqual(wavFile(Buffer.alloc(6)))
    expect(wavFile(0).byteLength).toBe(44)
  })

  test('of a tone has the samples of the tone', () => {
    expect(toneWav(0.1, 300).subarray(44)).toEqual(tone(0.1, 300))
  })
})

test('speech in an unknown format is `undefined`', () => {
  expect(speechAudio('wma', 1)).toBeUndefined()
  expect(speechAudio('toString', 1)).toBeUndefined()
})
