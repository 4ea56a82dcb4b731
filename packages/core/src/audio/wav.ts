import { joinBytes } from '../streaming/base64.ts'
import { frameBytes, type PcmFormat } from './pcm-format.ts'

const encoder = new TextEncoder()

/** Length of {@link wavHeader}, in bytes. */
export const WAV_HEADER_BYTES = 44

/** Placeholder for an unknown size. Players then read to the end of the stream. */
const UNKNOWN_SIZE = 0xff_ff_ff_ff

/**
 * The 44-byte header of a PCM WAV file.
 *
 * @param dataBytes Bytes of PCM that follow. `undefined` if unknown: the header then has the placeholder 0xFFFFFFFF for
 *   both sizes. Players and this service read it as "to the end". Write such a header only to a stream.
 * @param trailingBytes Bytes of RIFF chunks after the data and its pad byte, 0 by default
 * @throws RangeError if the file would exceed the 4 GiB of a RIFF size
 */
export function wavHeader(
  format: PcmFormat,
  dataBytes: number | undefined,
  trailingBytes = 0,
): Uint8Array<ArrayBuffer> {
  const riffBytes =
    dataBytes === undefined ? UNKNOWN_SIZE : WAV_HEADER_BYTES - 8 + dataBytes + (dataBytes % 2) + trailingBytes
  if (riffBytes > UNKNOWN_SIZE) throw new RangeError(`${dataBytes} bytes do not fit a WAV header`)
  const header = new Uint8Array(WAV_HEADER_BYTES)
  const view = new DataView(header.buffer)
  // After `fmt ` come the length of the format, 16 bytes, and its kind, 1 for PCM.
  header.set(encoder.encode('RIFF____WAVEfmt \x10\0\0\0\x01\0______________data'))
  view.setUint32(4, riffBytes, true)
  view.setUint16(22, format.channels, true)
  view.setUint32(24, format.sampleRate, true)
  view.setUint32(28, format.sampleRate * frameBytes(format), true)
  view.setUint16(32, frameBytes(format), true)
  view.setUint16(34, format.bitDepth, true)
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true)
  return header
}

/**
 * Makes a WAV file from PCM chunks, with true sizes. An odd number of bytes gets the pad byte of RIFF.
 *
 * @param tail RIFF chunks after the samples.
 * @default none
 * @throws RangeError if the file would exceed the 4 GiB of a RIFF size
 */
export function encodeWav(
  format: PcmFormat,
  chunks: readonly Uint8Array[],
  tail: Uint8Array = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const samples = chunks.map((chunk) => wavSamples(format, chunk))
  return joinBytes([wavHeader(format, bytes, tail.byteLength), ...samples, new Uint8Array(bytes % 2), tail])
}

/** Converts PCM to the samples of a WAV file: 8-bit samples become unsigned, others stay unchanged. */
export function wavSamples({ bitDepth }: PcmFormat, pcm: Uint8Array): Uint8Array {
  return bitDepth === 8 ? pcm.map((sample) => sample ^ 0x80) : pcm
}
