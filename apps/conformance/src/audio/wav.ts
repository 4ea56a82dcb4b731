import { Violation } from '../outcomes.ts'

/** Layout of PCM samples. */
export interface PcmLayout {
  readonly sampleRate: number
  readonly channels: number
  readonly bitDepth: number
}

/** Content of a WAV file. */
export interface Wav extends PcmLayout {
  readonly seconds: number
  /** The samples. */
  readonly data: Uint8Array
}

/** Lengths from here on mean that the writer of a file did not know it. */
const UNKNOWN_SIZE = 0x7fff_0000

/** @throws Violation unless the bytes are a whole WAV file */
export function readWav(file: Uint8Array): Wav {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const ascii = (from: number): string => String.fromCharCode(...file.subarray(from, from + 4))
  if (ascii(0) !== 'RIFF' || ascii(8) !== 'WAVE') throw new Violation('the audio is not a WAV file')
  let layout: PcmLayout = { sampleRate: 0, channels: 0, bitDepth: 0 }
  for (let offset = 12; offset + 8 <= file.byteLength;) {
    const size = view.getUint32(offset + 4, true)
    if (ascii(offset) === 'fmt ') layout = readLayout(view, offset + 8)
    if (ascii(offset) === 'data') {
      const data = file.subarray(offset + 8, offset + 8 + size)
      // A file that was written as a stream lacks its length. Any other length is a promise.
      if (data.byteLength < size && size < UNKNOWN_SIZE)
        throw new Violation(`the WAV file breaks off: ${data.byteLength} of ${size} bytes of samples`)
      return { ...layout, seconds: data.byteLength / bytesPerSecond(layout), data }
    }
    offset += 8 + size + (size % 2)
  }
  throw new Violation('the WAV file has no samples')
}

function readLayout(view: DataView, offset: number): PcmLayout {
  return {
    channels: view.getUint16(offset + 2, true),
    sampleRate: view.getUint32(offset + 4, true),
    bitDepth: view.getUint16(offset + 14, true),
  }
}

/** Bytes of a second of PCM. */
export function bytesPerSecond({ sampleRate, channels, bitDepth }: PcmLayout): number {
  return (sampleRate * channels * bitDepth) / 8
}

/** Returns the first channel of 16-bit samples, from -1 to 1. @throws Violation for another bit depth */
export function firstChannel({ channels, bitDepth, data }: Wav): Float32Array {
  if (bitDepth !== 16 || channels < 1) throw new Violation(`the samples have ${bitDepth} bits and ${channels} channels`)
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return Float32Array.from(
    { length: Math.floor(data.byteLength / (2 * channels)) },
    (_, at) => view.getInt16(2 * channels * at, true) / 0x8000,
  )
}

/** Returns a WAV file of these samples. */
export function wavOf({ sampleRate, channels, bitDepth }: PcmLayout, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(44 + data.byteLength)
  const view = new DataView(file.buffer)
  const put = (offset: number, text: string): void => file.set(new TextEncoder().encode(text), offset)
  put(0, 'RIFF')
  view.setUint32(4, 36 + data.byteLength, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, bytesPerSecond({ sampleRate, channels, bitDepth }), true)
  view.setUint16(32, (channels * bitDepth) / 8, true)
  view.setUint16(34, bitDepth, true)
  put(36, 'data')
  view.setUint32(40, data.byteLength, true)
  file.set(data, 44)
  return file
}

/** Returns a WAV file of silence: 16 kHz, mono, 16 bit. */
export function silentWav(seconds: number): Uint8Array<ArrayBuffer> {
  return wavOf({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, new Uint8Array(seconds * 32_000))
}
