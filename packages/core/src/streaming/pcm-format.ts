/** How raw PCM is laid out: signed little-endian integers, interleaved by channel. */
export interface PcmFormat {
  /** Frames per second, in Hz. */
  readonly sampleRate: number
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

/**
 * What is wrong with a PCM format, or `undefined` when nothing is: each value must be a positive integer that a WAV
 * header can hold, and the bit depth divisible by 8 (interface: streaming speech events, `speech.created`).
 */
export function pcmFormatFault(format: PcmFormat): string | undefined {
  const { sampleRate, channels, bitDepth } = format
  if (!isIntegerWithin(sampleRate, 0xff_ff_ff_ff))
    return `sample_rate ${sampleRate} is not an integer from 1 to 4294967295`
  if (!isIntegerWithin(channels, 0xff_ff)) return `channels ${channels} is not an integer from 1 to 65535`
  if (!isIntegerWithin(bitDepth, 0xff_ff)) return `bit_depth ${bitDepth} is not an integer from 1 to 65535`
  if (bitDepth % 8 !== 0) return `bit_depth ${bitDepth} is not divisible by 8`
  // The header also stores bytes per frame (16 bits) and bytes per second (32 bits).
  if (frameBytes(format) > 0xff_ff) return `${channels} channels of ${bitDepth} bits do not fit a WAV header`
  if (frameBytes(format) * sampleRate > 0xff_ff_ff_ff) return `sample_rate ${sampleRate} does not fit a WAV header`
  return undefined
}

function isIntegerWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max
}
