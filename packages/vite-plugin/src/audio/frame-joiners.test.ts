import { expect, test } from 'vitest'
import { mp3Frame } from '@svc-audio/kit/hosts/audio-files'
import { silentGranules } from './frame-joiners.ts'

/** MPEG-2, 64 kbit/s, 16 kHz, mono, and MPEG-1, 128 kbit/s, 44.1 kHz, stereo. */
const MONO = 0xff_f3_88_c4
const STEREO = 0xff_fb_90_00

/** A frame whose granules have these bits and gains, each for all channels. */
function frame(header: number, ...granules: readonly (readonly [bits: number, gain: number])[]): Uint8Array {
  const isMono = header === MONO
  const bytes = mp3Frame(header, isMono ? 288 : 417).fill(0, 4)
  const write = (at: number, count: number, value: number): void => {
    for (let bit = 0; bit < count; bit += 1) {
      const index = (at + bit) >>> 3
      const set = (value >>> (count - 1 - bit)) & 1
      bytes[index] = (bytes[index] ?? 0) | (set << (7 - ((at + bit) & 7)))
    }
  }
  const [channels, shared, size] = isMono ? [1, 9, 63] : [2, 20, 59]
  for (const [granule, [bits, gain]] of granules.entries()) {
    for (let channel = 0; channel < channels; channel += 1) {
      const at = 32 + shared + (granule * channels + channel) * size
      write(at, 12, bits)
      write(at + 21, 8, gain)
    }
  }
  return bytes
}

test('a granule without bits, or far below the gain of the speech, is silent', () => {
  const frames = [170, 168, 0, 140, 153, 172].map((gain) => frame(MONO, [gain === 0 ? 0 : 900, gain]))
  expect(silentGranules(frames)).toEqual([false, false, true, true, false, false])
})

test('both granules and channels of a stereo frame count', () => {
  const frames = [frame(STEREO, [900, 170], [900, 130]), frame(STEREO, [0, 0], [900, 171])]
  expect(silentGranules(frames)).toEqual([false, true, true, false])
})
