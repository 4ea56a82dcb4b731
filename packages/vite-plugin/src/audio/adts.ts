import { id3Bytes, viewOf } from './bytes.ts'

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
const HEADER_BYTES = 7
const SAMPLES_PER_BLOCK = 1024

/**
 * Length of AAC in ADTS frames, in seconds. It includes the encoder's start-up samples (some 20 to 100 ms), since ADTS
 * has no place to tell how many they are; players play them too.
 */
export function adtsSeconds(file: Uint8Array): number | undefined {
  const view = viewOf(file)
  let rate: number | undefined
  let blocks = 0
  for (let frame = id3Bytes(file); frame + HEADER_BYTES <= file.byteLength;) {
    // 12 bits of sync, 1 of version, 2 of layer, which is 0.
    if ((view.getUint16(frame) & 0xff_f6) !== 0xff_f0) break
    const length = (view.getUint32(frame + 3) >>> 13) & 0x1f_ff
    if (length < HEADER_BYTES || frame + length > file.byteLength) break
    rate ??= RATES[(view.getUint8(frame + 2) >>> 2) & 0x0f]
    blocks += (view.getUint8(frame + 6) & 0x03) + 1
    frame += length
  }
  return rate === undefined || blocks === 0 ? undefined : (blocks * SAMPLES_PER_BLOCK) / rate
}
