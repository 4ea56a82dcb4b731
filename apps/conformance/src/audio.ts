import { encodeWav, pcmSeconds, readWav, type WavContent } from '@svc-audio/core/audio'
import { parseBuffer } from 'music-metadata'
import { PitchDetector } from 'pitchy'
import { ensure, Violation } from './expect.ts'

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
  if (!beginsLike(format, bytes)) throw new Violation(`${where} is not ${format} audio`)
  if (TYPES[format]?.includes(type) !== true)
    throw new Violation(`${where} has the content type ${type}, which is not ${format}`)
}

/** @throws Violation if the MIME type names a format of the interface, and the bytes have another one */
export function requireOwnType(where: string, type: string, bytes: Uint8Array): void {
  const format = (['wav', 'mp3'] as const).find((name) => TYPES[name]?.includes(type))
  if (format !== undefined) requireFormat(where, format, type, bytes)
}

/** Whether the bytes have the signature of the format. */
export function beginsLike(format: NamedFormat, bytes: Uint8Array): boolean {
  return BEGINNINGS[format]?.test(new TextDecoder('latin1').decode(bytes.subarray(0, 12))) === true
}

/** Duration of an MP3 or WAV file, in seconds. @throws Violation for another file */
export async function secondsOf(where: string, bytes: Uint8Array): Promise<number> {
  if (beginsLike('wav', bytes)) return wholeWav(bytes).seconds
  try {
    const { format } = await parseBuffer(bytes, {}, { duration: true })
    if (format.duration !== undefined && format.duration > 0) return format.duration
  } catch (error) {
    throw new Violation(`${where} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new Violation(`${where} has no duration`)
}

/** Least loudness of speech: the root mean square of its samples, as a share of full scale. About -54 dB. */
const LEAST = 0.002

/** @throws Violation for silence */
export function requireSound(where: string, wav: Wav): void {
  const samples = firstChannel(wav)
  const squares = samples.reduce((sum, sample) => sum + sample * sample, 0)
  ensure(samples.length > 0 && Math.sqrt(squares / samples.length) > LEAST, `${where} is silent`)
}

/** Length of a measured window, in seconds. It holds three periods of the deepest voice. */
const WINDOW = 0.05
/** Pitches of voices, in Hz. */
const LOWEST = 60
const HIGHEST = 500
/** Least clarity of a voiced window, from 0 to 1. */
const CLEAR = 0.8
/** Fewest voiced windows: 0.15 s. */
const ENOUGH = 6

/**
 * Median pitch of a voice in Hz, or `undefined` without enough voiced sound.
 * @param from Start of the measured part, as a share of the file.
 * @param to End of the measured part, as a share of the file.
 */
export function pitchOf(wav: Wav, from = 0, to = 1): number | undefined {
  const samples = firstChannel(wav)
  const size = Math.round(WINDOW * wav.sampleRate)
  const detector = PitchDetector.forFloat32Array(size)
  const found: number[] = []
  const end = Math.floor(samples.length * to) - size
  for (let at = Math.floor(samples.length * from); at <= end; at += Math.round(size / 2)) {
    const [pitch, clarity] = detector.findPitch(samples.subarray(at, at + size), wav.sampleRate)
    if (clarity >= CLEAR && pitch >= LOWEST && pitch <= HIGHEST) found.push(pitch)
  }
  return found.length < ENOUGH ? undefined : found.toSorted((one, other) => one - other)[Math.floor(found.length / 2)]
}

/** Distance of two pitches in semitones. */
export function semitones(one: number, other: number): number {
  return Math.abs(12 * Math.log2(one / other))
}
