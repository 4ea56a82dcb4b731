import { describe, expect, test } from 'vitest'
import { frameBytes, type PcmFormat, pcmFormatFault, pcmSeconds } from './pcm-format.ts'

const FORMAT: PcmFormat = { sampleRate: 24_000, channels: 1, bitDepth: 16 }

test('a frame holds one sample of every channel', () => {
  expect(frameBytes(FORMAT)).toBe(2)
  expect(frameBytes({ sampleRate: 48_000, channels: 6, bitDepth: 24 })).toBe(18)
})

test('a length follows from the format', () => {
  expect(pcmSeconds(FORMAT, 48_000)).toBe(1)
  expect(pcmSeconds({ sampleRate: 16_000, channels: 2, bitDepth: 24 }, 96_000)).toBe(1)
  expect(pcmSeconds(FORMAT, 0)).toBe(0)
})

// rules: speech-events.values
describe('interface: speech.created, positive integers that fit in a WAV header', () => {
  const usable: readonly PcmFormat[] = [
    FORMAT,
    { sampleRate: 1, channels: 1, bitDepth: 8 },
    { sampleRate: 0xff_ff_ff_ff, channels: 1, bitDepth: 8 },
    { sampleRate: 1, channels: 0xff_ff, bitDepth: 8 },
    { sampleRate: 1, channels: 1, bitDepth: 0xff_f8 },
    { sampleRate: 0x1_00_01, channels: 0xff_ff, bitDepth: 8 },
  ]

  test.each(usable)('%o is usable', (format) => {
    expect(pcmFormatFault(format)).toBeUndefined()
  })

  const unusable: readonly [Partial<PcmFormat>, string][] = [
    [{ sampleRate: 0 }, 'sample_rate'],
    [{ sampleRate: -1 }, 'sample_rate'],
    [{ sampleRate: 22_050.5 }, 'sample_rate'],
    [{ sampleRate: Number.NaN }, 'sample_rate'],
    [{ sampleRate: Infinity }, 'sample_rate'],
    [{ sampleRate: 0x1_00_00_00_00 }, 'sample_rate'],
    [{ sampleRate: 0x80_00_00_00 }, 'sample_rate'],
    [{ channels: 0 }, 'channels'],
    [{ channels: 1.5 }, 'channels'],
    [{ channels: 0x1_00_00 }, 'channels'],
    [{ channels: 0x80_00, sampleRate: 1 }, 'channels'],
    [{ bitDepth: 0 }, 'bit_depth'],
    [{ bitDepth: -8 }, 'bit_depth'],
    [{ bitDepth: 12 }, 'divisible by 8'],
    [{ bitDepth: 0x1_00_00 }, 'bit_depth'],
  ]

  test.each(unusable)('%o is not, and the fault names the value', (change, named) => {
    expect(pcmFormatFault({ ...FORMAT, ...change })).toContain(named)
  })
})
