import { id3Bytes, viewOf } from '../bytes.ts'

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
const HEADER_BYTES = 7
const SAMPLES_PER_BLOCK = 1024

/** What the header of an ADTS frame says. */
export interface AdtsFrame {
  /** Samples per second, in Hz. */
  readonly rate: number
  /** Samples per channel in this frame. */
  readonly samples: number
  /** Size of the whole frame, header included. */
  readonly bytes: number
}

/** Reads the header of the ADTS frame at an offset; `undefined` when there is none. The frame may be cut. */
export function readAdtsFrame(file: Uint8Array, at: number): AdtsFrame | undefined {
  if (at + HEADER_BYTES > file.byteLength) return undefined
  const view = viewOf(file)
  const rate = RATES[(view.getUint8(at + 2) >>> 2) & 0x0f]
  const bytes = (view.getUint32(at + 3) >>> 13) & 0x1f_ff
  // 12 bits of sync, 1 of version, 2 of layer, which is 0.
  if ((view.getUint16(at) & 0xff_f6) !== 0xff_f0 || rate === undefined || bytes < HEADER_BYTES) return undefined
  return { rate, bytes, samples: ((view.getUint8(at + 6) & 0x03) + 1) * SAMPLES_PER_BLOCK }
}

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
  const start = id3Bytes(file)
  let [end, rate, samples] = [start, 0, 0]
  for (;;) {
    const frame = readAdtsFrame(file, end)
    if (frame === undefined || end + frame.bytes > file.byteLength) break
    rate ||= frame.rate
    samples += frame.samples
    end += frame.bytes
  }
  return samples === 0 ? undefined : { rate, samples, start, end }
}

/**
 * Length of AAC in ADTS frames, in seconds. It includes the encoder's start-up samples (some 20 to 100 ms), since ADTS
 * has no place to tell how many they are; players play them too.
 */
export function adtsSeconds(file: Uint8Array): number | undefined {
  const content = readAdts(file)
  return content && content.samples / content.rate
}
