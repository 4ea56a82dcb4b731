import { id3Bytes, viewOf } from '../bytes.ts'
import { readAdtsFrame } from './adts.ts'
import { readMp3Frame } from './mp3.ts'

/** Number of first bytes of a file that {@link sniff} reads: enough for two MP3 frames after a short tag. */
export const HEAD_BYTES = 4096

/** Signatures in the first bytes, one character per byte, with their extensions. The usual extension comes first. */
const SIGNATURES: readonly (readonly [RegExp, ...string[]])[] = [
  [/^(RIFF|RF64|BW64)....WAVE/s, 'wav'],
  [/^fLaC/, 'flac'],
  [/^OggS.{24}OpusHead/s, 'opus', 'ogg'],
  [/^OggS/, 'ogg'],
  // All four names mean the same container.
  [/^....(ftypqt|moov|mdat|wide)/s, 'mov', 'mp4', 'm4a', 'alac'],
  [/^....ftypM4[ABP]/s, 'm4a', 'mp4', 'alac', 'mov'],
  [/^....ftyp(iso|mp4|avc1|dash|M4V|3g|MSNV|f4|F4)/s, 'mp4', 'm4a', 'alac', 'mov'],
  [/^.E\xDF\xA3.{0,50}webm/s, 'webm'],
  [/^#!AMR/, 'amr'],
  [/^0&\xB2u\x8Ef\xCF/, 'wma'],
  [/^\0\0\cA[\xB3\xBA]/, 'mpg'],
  [/^ADIF/, 'aac'],
]

/**
 * Returns the extensions that match a file's first bytes, the usual one first. It knows the formats that the interface
 * lists, and mp3 (interface: Transcriptions, supported formats).
 *
 * @returns `undefined` for other bytes
 */
export function sniff(head: Uint8Array): readonly string[] | undefined {
  const start = String.fromCharCode(...head.subarray(0, 64))
  const tag = id3Bytes(head)
  // A tag with a picture is longer than `head`. Usually MP3 follows it.
  if (tag > 0) return sniff(head.subarray(tag)) ?? ['mp3', 'aac', 'flac']
  const [, ...extensions] = SIGNATURES.find(([signature]) => signature.test(start)) ?? []
  if (extensions.length > 0) return extensions
  // The 11 sync bits do not prove a frame. Two frames in a row do.
  if (hasTwo(head, mp3Length)) return ['mp3']
  return hasTwo(head, adtsLength) ? ['aac'] : undefined
}

/** @param frameLength Returns the length of the frame that begins with these bytes, or 0 */
function hasTwo(head: Uint8Array, frameLength: (bytes: Uint8Array) => number): boolean {
  const length = frameLength(head)
  return length > 0 && frameLength(head.subarray(length)) > 0
}

function mp3Length(head: Uint8Array): number {
  return head.byteLength < 4 ? 0 : (readMp3Frame(viewOf(head).getUint32(0))?.bytes ?? 0)
}

function adtsLength(head: Uint8Array): number {
  const length = readAdtsFrame(head, 0)?.bytes ?? 0
  // A header alone holds no sound.
  return length > 7 ? length : 0
}
