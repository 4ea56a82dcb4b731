import { hasAscii, id3Bytes, viewOf } from './bytes.ts'
import { type Mp3Frame, readMp3Frame } from './mp3-frame.ts'

/**
 * Length of an MP3 file, in seconds: its frames counted, whether the bit rate is constant or not, less what the encoder
 * added at both ends where it says so (Xing or Info frame with a LAME tag). So it is the length of what was encoded.
 */
export function mp3Seconds(file: Uint8Array): number | undefined {
  const view = viewOf(file)
  let first: Mp3Frame | undefined
  let samples = 0
  let added = 0
  for (let offset = id3Bytes(file); offset + 4 <= file.byteLength;) {
    const frame = readMp3Frame(view.getUint32(offset))
    if (frame === undefined || frame.rate !== (first ?? frame).rate || offset + frame.bytes > file.byteLength) {
      // An ID3v1 tag ends the file; anything else is junk between frames, passed byte by byte as players do.
      if (hasAscii(file, offset, 'TAG')) break
      offset += 1
      continue
    }
    const info = first === undefined ? offset + frame.infoOffset : -1
    if (info >= 0 && (hasAscii(file, info, 'Xing') || hasAscii(file, info, 'Info'))) {
      added = samplesAdded(view, info, offset + frame.bytes)
    } else {
      samples += frame.samples
    }
    first ??= frame
    offset += frame.bytes
  }
  return first === undefined || samples <= added ? undefined : (samples - added) / first.rate
}

/** Encoder delay and padding of a LAME tag, in samples; 0 without one (gabriel.mp3-tech.org/mp3infotag.html). */
function samplesAdded(view: DataView, info: number, end: number): number {
  const flags = view.getUint32(info + 4)
  const counts = (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0)
  const lame = info + 8 + counts + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  if (lame + 24 > end || view.getUint32(lame) === 0) return 0
  const packed = view.getUint32(lame + 20) & 0xff_ff_ff
  return (packed >>> 12) + (packed & 0xf_ff)
}
