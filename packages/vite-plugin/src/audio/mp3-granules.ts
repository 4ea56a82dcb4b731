import { viewOf } from '@svc-audio/core/audio'

/** Bits of a granule that holds no sound. */
const EMPTY_BITS = 16
/** Steps of the gain below the speech at which a granule is silent. Four steps are 6 dB: this is 30 dB. */
const SILENT_STEPS = 20
/** The gain of speech: of the louder granules. */
const SPEECH_SHARE = 0.8

/**
 * Whether each granule of these frames is silent, by the bits and the gain in their side information: nothing is decoded
 * (ISO/IEC 11172-3 §2.4.1.7 and 13818-3 §2.4.1.7). A granule has 576 samples.
 */
export function silentGranules(frames: readonly Uint8Array[]): boolean[] {
  const gains = frames.flatMap(gainsOf)
  const heard = gains.filter((gain) => gain >= 0).toSorted((a, b) => a - b)
  const speech = heard[Math.floor(heard.length * SPEECH_SHARE)] ?? 0
  return gains.map((gain) => gain < speech - SILENT_STEPS)
}

/** The gain of each granule of a frame, of its louder channel; -1 for an empty one. */
function gainsOf(frame: Uint8Array): number[] {
  const header = viewOf(frame).getUint32(0)
  const isMpeg1 = ((header >>> 19) & 3) === 3
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  // A checksum follows the header where bit 16 is clear.
  const start = ((header >>> 16) & 1) === 1 ? 32 : 48
  const [shared, size] = isMpeg1 ? [channels === 1 ? 18 : 20, 59] : [channels === 1 ? 9 : 10, 63]
  return Array.from({ length: isMpeg1 ? 2 : 1 }, (_, granule) => {
    const gains = Array.from({ length: channels }, (__, channel) => {
      const at = start + shared + (granule * channels + channel) * size
      return bits(frame, at, 12) < EMPTY_BITS ? -1 : bits(frame, at + 21, 8)
    })
    return Math.max(...gains)
  })
}

function bits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let bit = at; bit < at + count; bit += 1) value = value * 2 + (((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1)
  return value
}
