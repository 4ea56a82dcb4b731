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
