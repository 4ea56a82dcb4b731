import { hasAscii, id3Bytes, viewOf } from './bytes.ts'

/** `fLaC` and the header of the first block, which is always STREAMINFO (RFC 9639 §8). */
const STREAMINFO_OFFSET = 8

/** Length of a FLAC file, in seconds, from STREAMINFO; `undefined` when the encoder left the number of samples open. */
export function flacSeconds(file: Uint8Array): number | undefined {
  const start = id3Bytes(file)
  if (!hasAscii(file, start, 'fLaC') || file.byteLength < start + STREAMINFO_OFFSET + 34) return undefined
  const view = viewOf(file)
  if ((view.getUint8(start + 4) & 0x7f) !== 0) return undefined
  // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples.
  const packed = view.getBigUint64(start + STREAMINFO_OFFSET + 10)
  const rate = Number(packed >> 44n)
  const samples = Number(packed & 0xf_ff_ff_ff_ffn)
  return rate > 0 && samples > 0 ? samples / rate : undefined
}
