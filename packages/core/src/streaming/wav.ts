import { joinBytes } from './join-bytes.ts'
import { frameBytes, type PcmFormat } from './pcm-format.ts'

const encoder = new TextEncoder()

/** Bytes that {@link wavHeader} takes before the first sample. */
export const WAV_HEADER_BYTES = 44

/**
 * The 44-byte header of a PCM WAV file.
 *
 * @param dataBytes Bytes of PCM that follow; the sizes in the header are exact, never placeholders.
 * @param trailingBytes Bytes of further RIFF chunks that follow the data (and its pad byte), 0 by default.
 * @throws RangeError when the file would pass the 4 GiB that a RIFF size can hold.
 */
export function wavHeader(format: PcmFormat, dataBytes: number, trailingBytes = 0): Uint8Array<ArrayBuffer> {
  const riffBytes = WAV_HEADER_BYTES - 8 + dataBytes + (dataBytes % 2) + trailingBytes
  if (riffBytes > 0xff_ff_ff_ff) throw new RangeError(`${dataBytes} bytes do not fit a WAV header`)
  const header = new Uint8Array(WAV_HEADER_BYTES)
  const view = new DataView(header.buffer)
  // Behind `fmt ` stand the length of the format, 16 bytes, and its kind, 1 for PCM.
  header.set(encoder.encode('RIFF____WAVEfmt \x10\0\0\0\x01\0______________data'))
  view.setUint32(4, riffBytes, true)
  view.setUint16(22, format.channels, true)
  view.setUint32(24, format.sampleRate, true)
  view.setUint32(28, format.sampleRate * frameBytes(format), true)
  view.setUint16(32, frameBytes(format), true)
  view.setUint16(34, format.bitDepth, true)
  view.setUint32(40, dataBytes, true)
  return header
}

/**
 * A whole WAV file from PCM chunks, with true sizes and, for an odd number of bytes, the pad byte RIFF wants.
 *
 * @param tail RIFF chunks that go behind the samples. @default none
 * @throws RangeError when the file would pass the 4 GiB that a RIFF size can hold.
 */
export function encodeWav(
  format: PcmFormat,
  chunks: readonly Uint8Array[],
  tail: Uint8Array = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  return joinBytes([wavHeader(format, bytes, tail.byteLength), ...chunks, new Uint8Array(bytes % 2), tail])
}
