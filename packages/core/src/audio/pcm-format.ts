import { isInteger } from '../checks/index.ts'

/**
 * Layout of raw PCM: signed little-endian integers, interleaved by channel. 8-bit samples are signed too. The WAV
 * functions convert them to the unsigned samples of a WAV file.
 */
export interface PcmFormat {
  /** Frames per second, in Hz. */
  readonly sampleRate: number
  /** Number of channels. */
  readonly channels: number
  /** Bits per sample; a multiple of 8. */
  readonly bitDepth: number
}

/** Bytes of one frame: one sample for every channel. */
export function frameBytes(format: PcmFormat): number {
  return (format.channels * format.bitDepth) / 8
}

/** Length of `bytes` bytes of PCM, in seconds. */
export function pcmSeconds(format: PcmFormat, bytes: number): number {
  return bytes / (frameBytes(format) * format.sampleRate)
}

/** Unchecked values of a PCM format. */
export type PcmValues = Readonly<Record<keyof PcmFormat, unknown>>

const MAX_16_BITS = 0xff_ff
const MAX_32_BITS = 0xff_ff_ff_ff

/**
 * Describes the problem of a PCM format, or returns `undefined`. Each value must be a positive integer that fits a WAV
 * header. The bit depth must be divisible by 8 (interface: streaming speech events, `speech.created`).
 */
export function pcmFormatFault({ sampleRate, channels, bitDepth }: PcmValues): string | undefined {
  if (!isInteger(sampleRate, 1, MAX_32_BITS)) return outside('sample_rate', sampleRate, MAX_32_BITS)
  if (!isInteger(channels, 1, MAX_16_BITS)) return outside('channels', channels, MAX_16_BITS)
  if (!isInteger(bitDepth, 1, MAX_16_BITS)) return outside('bit_depth', bitDepth, MAX_16_BITS)
  if (bitDepth % 8 !== 0) return `bit_depth ${bitDepth} is not divisible by 8`
  // The header also stores bytes per frame (16 bits) and bytes per second (32 bits).
  const frame = (channels * bitDepth) / 8
  return frame > MAX_16_BITS || frame * sampleRate > MAX_32_BITS
    ? 'sample_rate and channels do not fit a WAV header'
    : undefined
}

function outside(name: string, value: unknown, max: number): string {
  return `${name} ${JSON.stringify(value)} is not an integer from 1 to ${max}`
}
