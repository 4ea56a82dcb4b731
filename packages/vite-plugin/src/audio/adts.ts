import { id3Bytes, viewOf } from './bytes.ts'

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
const HEADER_BYTES = 7
const SAMPLES_PER_BLOCK = 1024

/** What AAC in ADTS frames holds. */
export interface AdtsContent {
  /** Samples per second, in Hz. */
  readonly rate: number
  /** Samples per channel. */
  readonly samples: number
  /** Where the first frame begins. */
  readonly start: number
  /** Where the last whole frame ends. */
  readonly end: number
}

/** Reads AAC in ADTS frames; `undefined` for anything else. */
export function readAdts(file: Uint8Array): AdtsContent | undefined {
  const view = viewOf(file)
  const start = id3Bytes(file)
  let rate: number | undefined
  let blocks = 0
  let end = start
  while (end + HEADER_BYTES <= file.byteLength) {
    // 12 bits of sync, 1 of version, 2 of layer, which is 0.
    if ((view.getUint16(end) & 0xff_f6) !== 0xff_f0) break
    const length = (view.getUint32(end + 3) >>> 13) & 0x1f_ff
    if (length < HEADER_BYTES || end + length > file.byteLength) break
    rate ??= RATES[(view.getUint8(end + 2) >>> 2) & 0x0f]
    blocks += (view.getUint8(end + 6) & 0x03) + 1
    end += length
  }
  return rate === undefined || blocks === 0 ? undefined : { rate, samples: blocks * SAMPLES_PER_BLOCK, start, end }
}

/**
 * Length of AAC in ADTS frames, in seconds. It includes the encoder's start-up samples (some 20 to 100 ms), since ADTS
 * has no place to tell how many they are; players play them too.
 */
export function adtsSeconds(file: Uint8Array): number | undefined {
  const content = readAdts(file)
  return content === undefined ? undefined : content.samples / content.rate
}
