import { frameBytes, type PcmFormat } from './pcm-format.ts'
import { aigcChunk } from './wav-aigc.ts'

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
  if (riffBytes > 0xff_ff_ff_ff) throw new RangeError(`${dataBytes} bytes of PCM do not fit a WAV file (at most 4 GiB)`)
  const header = new Uint8Array(WAV_HEADER_BYTES)
  const view = new DataView(header.buffer)
  const ascii = (offset: number, text: string): void => {
    for (let index = 0; index < text.length; index += 1) header[offset + index] = text.charCodeAt(index)
  }
  ascii(0, 'RIFF')
  view.setUint32(4, riffBytes, true)
  ascii(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, format.channels, true)
  view.setUint32(24, format.sampleRate, true)
  view.setUint32(28, format.sampleRate * frameBytes(format), true)
  view.setUint16(32, frameBytes(format), true)
  view.setUint16(34, format.bitDepth, true)
  ascii(36, 'data')
  view.setUint32(40, dataBytes, true)
  return header
}

/**
 * A whole WAV file from PCM chunks, with true sizes and, for an odd number of bytes, the pad byte RIFF wants.
 *
 * @param aigc A marking, as {@link aigcValue} makes it; it goes behind the samples. @default none
 * @throws RangeError when the file would pass the 4 GiB that a RIFF size can hold.
 */
export function encodeWav(format: PcmFormat, chunks: readonly Uint8Array[], aigc?: string): Uint8Array<ArrayBuffer> {
  const dataBytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const mark = aigcChunk(aigc)
  const audioEnd = WAV_HEADER_BYTES + dataBytes + (dataBytes % 2)
  const header = wavHeader(format, dataBytes, mark.byteLength)
  const file = new Uint8Array(audioEnd + mark.byteLength)
  file.set(header)
  file.set(mark, audioEnd)
  let offset = WAV_HEADER_BYTES
  for (const chunk of chunks) {
    file.set(chunk, offset)
    offset += chunk.byteLength
  }
  return file
}
