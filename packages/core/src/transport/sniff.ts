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

/** MP3 bit rates in kilobits per second, by the index in a frame header: for MPEG 1, then for MPEG 2. */
const MP3_KBPS = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const

/**
 * Returns the extensions that match a file's first bytes, the usual one first. It knows the formats that the interface
 * lists, and mp3 (interface: Transcriptions, supported formats).
 *
 * @returns `undefined` for other bytes
 */
export function sniff(head: Uint8Array): readonly string[] | undefined {
  const start = String.fromCharCode(...head.subarray(0, 64))
  if (start.startsWith('ID3') && head.byteLength >= 10) {
    const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6, 10)
    // A tag with a picture is longer than `head`. Usually MP3 follows it.
    return sniff(head.subarray(10 + ((a << 21) | (b << 14) | (c << 7) | d))) ?? ['mp3', 'aac', 'flac']
  }
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

function mp3Length([first = 0, second = 0, third = 0]: Uint8Array): number {
  // Layer III, and the version is not the reserved one.
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return 0
  const version = (second >> 3) & 3
  const kbps = MP3_KBPS[version === 3 ? 0 : 1][(third >> 4) - 1]
  const hertz = [44_100, 48_000, 32_000][(third >> 2) & 3]
  if (kbps === undefined || hertz === undefined) return 0
  const [samples, divisor] = version === 3 ? [144, 1] : [72, version === 2 ? 2 : 4]
  return Math.floor((samples * kbps * 1000 * divisor) / hertz) + ((third >> 1) & 1)
}

function adtsLength([first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0]: Uint8Array): number {
  // Its layer is always 0, and there are thirteen sampling rates.
  if (first !== 0xff || (second & 0xf6) !== 0xf0 || (third & 0x3c) > 0x30) return 0
  const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  return length > 7 ? length : 0
}
