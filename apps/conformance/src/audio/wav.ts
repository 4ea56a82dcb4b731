import { encodeWav, pcmSeconds, readWav, type WavContent } from '@svc-audio/core/audio'
import { Violation } from '../outcomes.ts'

/** Content of a WAV file. */
export interface Wav extends WavContent {
  readonly seconds: number
}

/** @throws Violation unless the bytes are a whole WAV file */
export function wholeWav(file: Uint8Array): Wav {
  const wav = readWav(file)
  if (wav === undefined) throw new Violation('the audio is not a WAV file with samples')
  const { samples, missingBytes } = wav
  if (missingBytes > 0)
    throw new Violation(
      `the WAV file breaks off: ${samples.byteLength} of ${samples.byteLength + missingBytes} bytes of samples`,
    )
  return { ...wav, seconds: pcmSeconds(wav, samples.byteLength) }
}

/** Returns the first channel of 16-bit samples, from -1 to 1. @throws Violation for another bit depth */
export function firstChannel({ channels, bitDepth, samples: data }: Wav): Float32Array {
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
