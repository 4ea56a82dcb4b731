import { hasAscii, id3Bytes, viewOf } from '../bytes.ts'

/** `fLaC` and the header of the first block, which is always STREAMINFO (RFC 9639 §8). */
const STREAMINFO_OFFSET = 8
/** `fLaC` and the whole first block. */
export const FLAC_HEAD_BYTES: number = STREAMINFO_OFFSET + 34
/** STREAMINFO counts samples in 36 bits. */
const SAMPLES_MASK = 0xf_ff_ff_ff_ffn

/** Length of a FLAC file, in seconds, from STREAMINFO; `undefined` when the encoder left the number of samples open. */
export function flacSeconds(file: Uint8Array): number | undefined {
  const start = id3Bytes(file)
  if (!hasAscii(file, start, 'fLaC') || file.byteLength < start + FLAC_HEAD_BYTES) return undefined
  const view = viewOf(file)
  if ((view.getUint8(start + 4) & 0x7f) !== 0) return undefined
  // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples.
  const packed = view.getBigUint64(start + STREAMINFO_OFFSET + 10)
  const rate = Number(packed >> 44n)
  const samples = Number(packed & SAMPLES_MASK)
  return rate > 0 && samples > 0 ? samples / rate : undefined
}

/**
 * Writes what the encoder of a stream left open.
 *
 * @param head The first {@link FLAC_HEAD_BYTES} of a FLAC file, which change.
 * @param samples Samples per channel.
 * @param md5 Checksum of the samples, 16 bytes. It stays open by default.
 * @throws TypeError for other bytes
 */
export function completeFlacHead(head: Uint8Array, samples: number, md5?: Uint8Array): void {
  if (head.byteLength < FLAC_HEAD_BYTES || !hasAscii(head, 0, 'fLaC'))
    throw new TypeError('There is no FLAC to complete')
  const view = viewOf(head)
  const at = STREAMINFO_OFFSET + 10
  view.setBigUint64(at, (view.getBigUint64(at) & ~SAMPLES_MASK) | (BigInt(samples) & SAMPLES_MASK))
  if (md5 !== undefined) head.set(md5, at + 8)
}
