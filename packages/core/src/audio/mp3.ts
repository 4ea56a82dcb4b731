import { hasAscii, id3Bytes, viewOf } from './bytes.ts'
import { isFreeFormat, type Mp3Frame, readMp3Frame } from './mp3-frame.ts'

/** The frames of an MP3 file that hold sound. */
export interface Mp3Content {
  /** Leading ID3v2 tag, empty where there is none. */
  readonly tag: Uint8Array
  /** Each frame with its header read, in order. */
  readonly frames: readonly {
    /** What its header says. */
    readonly header: Mp3Frame
    /** The whole frame: a view of the file. */
    readonly bytes: Uint8Array
  }[]
  /** Samples that the encoder added, as far as a LAME tag tells. */
  readonly added: {
    /** Before the sound. */
    readonly before: number
    /** Behind the sound. */
    readonly behind: number
  }
}

/**
 * Takes an MP3 file apart. Junk between frames is passed over, as players do.
 * @returns `undefined` for anything else, and for a free bit rate, whose frames cannot be distinguished
 */
export function readMp3(file: Uint8Array): Mp3Content | undefined {
  const frames: { header: Mp3Frame; bytes: Uint8Array }[] = []
  const added = scan(file, (header, offset) => {
    frames.push({ header, bytes: file.subarray(offset, offset + header.bytes) })
  })
  return added === undefined || frames.length === 0
    ? undefined
    : { tag: file.subarray(0, id3Bytes(file)), frames, added }
}

/**
 * Length of an MP3 file, in seconds: its frames counted, whether the bit rate is constant or not, less what the encoder
 * added at both ends where it says so (Xing or Info frame with a LAME tag). So it is the length of what was encoded.
 */
export function mp3Seconds(file: Uint8Array): number | undefined {
  let samples = 0
  let rate = 0
  const added = scan(file, (header) => {
    samples += header.samples
    rate = header.rate
  })
  if (added === undefined) return undefined
  samples -= added.before + added.behind
  return samples <= 0 ? undefined : samples / rate
}

/**
 * Finds the frames with sound.
 * @returns What the encoder added; `undefined` for a free bit rate
 */
function scan(file: Uint8Array, found: (header: Mp3Frame, offset: number) => void): Mp3Content['added'] | undefined {
  const view = viewOf(file)
  let first: Mp3Frame | undefined
  let added = { before: 0, behind: 0 }
  // Most frames have the header of the one before, but for a bit of padding.
  let lastBits = -1
  let last: Mp3Frame | undefined
  for (let offset = id3Bytes(file); offset + 4 <= file.byteLength;) {
    const bits = view.getUint32(offset)
    const header = bits === lastBits ? last : readMp3Frame(bits)
    lastBits = bits
    last = header
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
    } else found(header, offset)
    first ??= header
    offset += header.bytes
  }
  return added
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
