import { encodeWav, pcmSeconds, type PcmFormat, readWavHead } from '@svc-audio/core/streaming'
import { Violation } from '../outcomes.ts'

/** Content of a WAV file. */
export interface Wav extends PcmFormat {
  readonly seconds: number
  /** The samples. */
  readonly data: Uint8Array
}

/** @throws Violation unless the bytes are a whole WAV file */
export function readWav(file: Uint8Array): Wav {
  const head = readWavHead(file)
  if (head === undefined) throw new Violation('the audio is not a WAV file with samples')
  const { format, samplesAt, sampleBytes = Infinity } = head
  const data = file.subarray(samplesAt, samplesAt + sampleBytes)
  if (data.byteLength < sampleBytes && sampleBytes < Infinity)
    throw new Violation(`the WAV file breaks off: ${data.byteLength} of ${sampleBytes} bytes of samples`)
  return { ...format, seconds: pcmSeconds(format, data.byteLength), data }
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

/** Returns a WAV file of silence: 16 kHz, mono, 16 bit. */
export function silentWav(seconds: number): Uint8Array<ArrayBuffer> {
  return encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(seconds * 32_000)])
}
