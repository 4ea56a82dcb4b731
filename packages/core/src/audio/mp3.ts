import { hasAscii, id3Bytes, viewOf } from '../bytes.ts'

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

/** What the header of an MPEG Layer III frame says. */
export interface Mp3Frame {
  /** Samples per second, in Hz. */
  readonly rate: number
  /** Samples per channel in this frame. */
  readonly samples: number
  /** Size of the whole frame, header included. */
  readonly bytes: number
  /** Whether it has one channel. */
  readonly mono: boolean
  /** Kilobits per second. */
  readonly kilobits: number
  /** Where a Xing or Info header would stand, counted from the start of the frame: after the side information. */
  readonly infoOffset: number
}

// ISO/IEC 11172-3 §2.4.2.3 and 13818-3 §2.4.2.3; index 0 is "free", 15 is forbidden.
const KILOBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KILOBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const RATES_MPEG1 = [44_100, 48_000, 32_000]

/**
 * Reads the header of a Layer III frame.
 * @param header Its 32 bits, big-endian.
 * @returns `undefined` when this is no such header; a free bit rate counts as none.
 */
export function readMp3Frame(header: number): Mp3Frame | undefined {
  const version = (header >>> 19) & 3
  const isLayer3 = ((header >>> 17) & 3) === 1
  if (header >>> 21 !== 0x7_ff || version === 1 || !isLayer3) return undefined
  const mpeg1 = version === 3
  const kilobits = (mpeg1 ? KILOBITS_MPEG1 : KILOBITS_MPEG2)[(header >>> 12) & 15]
  const fullRate = RATES_MPEG1[(header >>> 10) & 3]
  if (kilobits === undefined || kilobits === 0 || fullRate === undefined) return undefined
  // MPEG-2 halves the rates of MPEG-1, and 2.5 halves them again.
  const rate = mpeg1 ? fullRate : fullRate / (version === 2 ? 2 : 4)
  const samples = mpeg1 ? 1152 : 576
  const padding = (header >>> 9) & 1
  const mono = ((header >>> 6) & 3) === 3
  const sideInformation = mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17
  return {
    rate,
    samples,
    kilobits,
    mono,
    bytes: Math.floor((samples / 8) * ((kilobits * 1000) / rate)) + padding,
    infoOffset: 4 + sideInformation,
  }
}

/** Whether this is the header of a Layer III frame with a free bit rate: nothing in it tells its size. */
export function isFreeFormat(header: number): boolean {
  const isFrame = header >>> 21 === 0x7_ff && ((header >>> 19) & 3) !== 1 && ((header >>> 17) & 3) === 1
  return isFrame && ((header >>> 12) & 15) === 0 && ((header >>> 10) & 3) !== 3
}
