import { hasAscii, id3Bytes, viewOf } from './bytes.ts'
import { isFreeFormat, type Mp3Frame, readMp3Frame } from './mp3-frame.ts'

/** The frames of an MP3 file that hold sound. */
export interface Mp3Content {
  /** Leading ID3v2 tag, empty where there is none. */
  readonly tag: Uint8Array
  /** Each frame with its header read, in order. */
  readonly frames: readonly { readonly header: Mp3Frame; readonly bytes: Uint8Array }[]
  /** Samples that the encoder put before and behind the sound, as far as a LAME tag tells. */
  readonly added: { readonly before: number; readonly behind: number }
}

/**
 * Takes an MP3 file apart. Junk between frames is passed over, as players do.
 * @returns `undefined` for anything else, and for a free bit rate, whose frames cannot be told apart
 */
export function readMp3(file: Uint8Array): Mp3Content | undefined {
  const view = viewOf(file)
  const start = id3Bytes(file)
  const frames: { header: Mp3Frame; bytes: Uint8Array }[] = []
  let first: Mp3Frame | undefined
  let added = { before: 0, behind: 0 }
  for (let offset = start; offset + 4 <= file.byteLength;) {
    const bits = view.getUint32(offset)
    const header = readMp3Frame(bits)
    if (first === undefined && isFreeFormat(bits)) return undefined
    if (header === undefined || header.rate !== (first ?? header).rate || offset + header.bytes > file.byteLength) {
      // An ID3v1 tag ends the file.
      if (hasAscii(file, offset, 'TAG')) break
      offset += 1
      continue
    }
    const info = first === undefined ? offset + header.infoOffset : -1
    if (info >= 0 && (hasAscii(file, info, 'Xing') || hasAscii(file, info, 'Info'))) {
      added = samplesAdded(view, info, offset + header.bytes)
    } else {
      frames.push({ header, bytes: file.subarray(offset, offset + header.bytes) })
    }
    first ??= header
    offset += header.bytes
  }
  return frames.length === 0 ? undefined : { tag: file.subarray(0, start), frames, added }
}

/**
 * Length of an MP3 file, in seconds: its frames counted, whether the bit rate is constant or not, less what the encoder
 * added at both ends where it says so (Xing or Info frame with a LAME tag). So it is the length of what was encoded.
 */
export function mp3Seconds(file: Uint8Array): number | undefined {
  const content = readMp3(file)
  const [first] = content?.frames ?? []
  if (content === undefined || first === undefined) return undefined
  const { before, behind } = content.added
  const samples = content.frames.reduce((sum, { header }) => sum + header.samples, 0) - before - behind
  return samples <= 0 ? undefined : samples / first.header.rate
}

/** Encoder delay and padding of a LAME tag, in samples; 0 without one (gabriel.mp3-tech.org/mp3infotag.html). */
function samplesAdded(view: DataView, info: number, end: number): { before: number; behind: number } {
  const flags = view.getUint32(info + 4)
  const counts = (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0)
  const lame = info + 8 + counts + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  if (lame + 24 > end || view.getUint32(lame) === 0) return { before: 0, behind: 0 }
  const packed = view.getUint32(lame + 20) & 0xff_ff_ff
  return { before: packed >>> 12, behind: packed & 0xf_ff }
}
