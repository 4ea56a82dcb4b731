import { Violation } from '../outcomes.ts'

/** Content of a WAV file. */
export interface Wav {
  readonly seconds: number
  /** The samples. */
  readonly data: Uint8Array
}

/** @throws Violation unless the bytes are a WAV file */
export function readWav(file: Uint8Array): Wav {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const ascii = (from: number): string => String.fromCharCode(...file.subarray(from, from + 4))
  if (ascii(0) !== 'RIFF' || ascii(8) !== 'WAVE') throw new Violation('the audio is not a WAV file')
  let bytesPerSecond = 0
  for (let offset = 12; offset + 8 <= file.byteLength;) {
    const size = view.getUint32(offset + 4, true)
    if (ascii(offset) === 'fmt ') bytesPerSecond = view.getUint32(offset + 16, true)
    if (ascii(offset) === 'data') {
      // A streamed file may lack its length.
      const data = file.subarray(offset + 8, offset + 8 + size)
      return { seconds: data.byteLength / bytesPerSecond, data }
    }
    offset += 8 + size + (size % 2)
  }
  throw new Violation('the WAV file has no samples')
}

/** Returns a WAV file of silence: 16 kHz, mono, 16 bit. */
export function silentWav(seconds: number): Uint8Array<ArrayBuffer> {
  const bytes = seconds * 32_000
  const file = new Uint8Array(44 + bytes)
  const view = new DataView(file.buffer)
  const put = (offset: number, text: string): void => file.set(new TextEncoder().encode(text), offset)
  put(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, 16_000, true)
  view.setUint32(28, 32_000, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  put(36, 'data')
  view.setUint32(40, bytes, true)
  return file
}

/** Signatures of audio formats. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  wav: /^RIFF....WAVE/s,
  // ID3, or the eleven set bits of a frame.
  mp3: /^(ID3|\xFF[\xE0-\xFF])/,
}

/** MIME types of a format. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  wav: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  mp3: ['audio/mpeg', 'audio/mp3'],
}

/** A format named by the interface. Every server supports it. */
export type NamedFormat = 'mp3' | 'wav'

/** @throws Violation unless bytes and MIME type match the format */
export function requireFormat(where: string, format: NamedFormat, type: string, bytes: Uint8Array): void {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 12))
  if (BEGINNINGS[format]?.test(beginning) !== true) throw new Violation(`${where} is not ${format} audio`)
  if (TYPES[format]?.includes(type) !== true)
    throw new Violation(`${where} has the content type ${type}, which is not ${format}`)
}
