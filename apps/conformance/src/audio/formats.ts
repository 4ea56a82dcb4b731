import { parseBuffer } from 'music-metadata'
import { Violation } from '../outcomes.ts'
import { wholeWav } from './wav.ts'

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
