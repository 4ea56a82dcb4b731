import { hasAscii, viewOf } from '../bytes.ts'

/** Opus counts in samples of 48 kHz, whatever was encoded (RFC 7845 §4). */
const OPUS_RATE = 48_000
const PAGE_HEADER_BYTES = 27
/** Granule position of a page on which no packet ends. */
const NO_PACKET_ENDS = 0xff_ff_ff_ff_ff_ff_ff_ffn

/** Flag of the first page of a stream (RFC 3533 §6). */
const BEGINS_STREAM = 2

/**
 * Length of an Ogg Opus file, in seconds: the last granule position less the pre-skip (RFC 7845 §4). `undefined` for
 * chained streams, whose length browsers take from the last one.
 */
export function oggOpusSeconds(file: Uint8Array): number | undefined {
  const view = viewOf(file)
  let preSkip: number | undefined
  let serial = 0
  let samples = 0n
  for (let page = 0; page + PAGE_HEADER_BYTES <= file.byteLength;) {
    const segments = view.getUint8(page + 26)
    const body = page + PAGE_HEADER_BYTES + segments
    if (!hasAscii(file, page, 'OggS') || body > file.byteLength) break
    if (samples > 0n && (view.getUint8(page + 5) & BEGINS_STREAM) !== 0) return undefined
    if (preSkip === undefined) {
      if (!hasAscii(file, body, 'OpusHead') || body + 12 > file.byteLength) return undefined
      preSkip = view.getUint16(body + 10, true)
      serial = view.getUint32(page + 14, true)
    } else if (view.getUint32(page + 14, true) === serial) {
      const granule = view.getBigUint64(page + 6, true)
      if (granule !== NO_PACKET_ENDS) samples = granule
    }
    const lacing = file.subarray(page + PAGE_HEADER_BYTES, body)
    page = body + lacing.reduce((sum, length) => sum + length, 0)
  }
  const played = Number(samples) - (preSkip ?? 0)
  return preSkip !== undefined && played > 0 ? played / OPUS_RATE : undefined
}
