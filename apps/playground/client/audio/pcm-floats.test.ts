import { expect, test } from 'vitest'
import { floatsToPcm16, pcmToFloats } from './pcm-floats.ts'

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
