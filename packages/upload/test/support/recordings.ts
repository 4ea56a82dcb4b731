/**
 * The first bytes of recordings that need a device to make, built box by box as the programs write them:
 *
 * - Safari: WebKit's MediaRecorderPrivateWriterAVFObjC has AVAssetWriter write MPEG-4 in segments, with the profile
 *   CMAFCompliant for one track and AppleHLS for two. Apple's header AVAssetWriter.h: the first segment has a `moov` without
 *   sample tables, and each further one is a `moof` and an `mdat`. Brands as in such files: `iso5`, `isom`, `hlsf`.
 * - Android: MPEG4Writer.cpp of libstagefright, which MediaRecorder and most recorder apps use. It writes `ftyp`, `mdat` and,
 *   when the recording stops, `moov`: at the end, or into a `free` box that it reserved in front of `mdat`.
 * - Voice Memos of an iPhone: AVAudioRecorder's `M4A ` files, with `moov` at the end.
 *
 * Boxes have their layout of ISO/IEC 14496-12.
 */

type Content = Uint8Array | string

/** A box: size, type, content. */
export function box(type: string, ...content: readonly Content[]): Buffer {
  const parts = content.map((part) => Buffer.from(part))
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(8 + body.byteLength), Buffer.from(type, 'latin1'), body])
}

/** A box with a version and flags. */
function fullBox(type: string, ...content: readonly Content[]): Buffer {
  return box(type, u32(0), ...content)
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

const u16 = (...values: readonly number[]): Buffer => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))

function ftyp(major: string, minor: number, ...compatible: readonly string[]): Buffer {
  return box('ftyp', major, u32(minor), ...compatible)
}

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
const TIMESCALE = 44_100

/** @param tracks Number of tracks, which makes the id of the next one. */
function mvhd(tracks: number): Buffer {
  return fullBox(
    'mvhd',
    u32(0, 0, TIMESCALE, 0, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    MATRIX,
    Buffer.alloc(24),
    u32(tracks + 1),
  )
}

interface TrackOptions {
  readonly id: number
  readonly handler: 'soun' | 'vide'
  readonly name: string
  /** Samples in the tables; none in a fragmented file. */
  readonly samples: number
}

function trak({ id, handler, name, samples }: TrackOptions): Buffer {
  const volume = handler === 'soun' ? 0x100 : 0
  const size = handler === 'soun' ? u32(0, 0) : u32(1280 * 0x10000, 720 * 0x10000)
  const tkhd = fullBox('tkhd', u32(0, 0, id, 0, 0, 0, 0), u16(0, 0, volume, 0), MATRIX, size)
  const mdhd = fullBox('mdhd', u32(0, 0, TIMESCALE, 0), u16(0x55c4, 0))
  const hdlr = fullBox('hdlr', u32(0), handler, u32(0, 0, 0), `${name}\0`)
  const media = handler === 'soun' ? fullBox('smhd', u32(0)) : fullBox('vmhd', u32(0, 0))
  const dinf = box('dinf', fullBox('dref', u32(1), fullBox('url ')))
  return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', media, dinf, sampleTables(handler, samples))))
}

function sampleTables(handler: string, samples: number): Buffer {
  const entry =
    handler === 'soun'
      ? box(
          'mp4a',
          Buffer.alloc(6),
          u16(1),
          u32(0, 0),
          u16(1, 16, 0, 0),
          u32(TIMESCALE * 0x10000),
          fullBox('esds', Buffer.alloc(34)),
        )
      : box('avc1', Buffer.alloc(6), u16(1), Buffer.alloc(70), box('avcC', Buffer.alloc(30)))
  const sizes = Array.from({ length: samples }, (_, index) => 300 + (index % 50))
  return box(
    'stbl',
    fullBox('stsd', u32(1), entry),
    samples === 0 ? fullBox('stts', u32(0)) : fullBox('stts', u32(1, samples, 1024)),
    fullBox('stsz', u32(0, samples, ...sizes)),
    samples === 0 ? fullBox('stsc', u32(0)) : fullBox('stsc', u32(1, 1, samples, 1)),
    samples === 0 ? fullBox('stco', u32(0)) : fullBox('stco', u32(1, 4096)),
  )
}

/** Sound that looks like nothing else. */
const sound = (bytes: number): Buffer => Buffer.alloc(bytes, 0x21)

/** The first segments of a recording in Safari: with a microphone alone, or with a camera. */
export function safariRecording(camera: boolean): Buffer {
  const tracks = camera ? (['vide', 'soun'] as const) : (['soun'] as const)
  const name = { vide: 'Core Media Video', soun: 'Core Media Audio' }
  const movie = [
    mvhd(tracks.length),
    ...tracks.map((handler, index) => trak({ id: index + 1, handler, name: name[handler], samples: 0 })),
    box('mvex', ...tracks.map((_, index) => fullBox('trex', u32(index + 1, 1, 0, 0, 0)))),
  ]
  const fragment = box('moof', fullBox('mfhd', u32(1)), box('traf', fullBox('tfhd', u32(1)), fullBox('trun', u32(0))))
  return Buffer.concat([
    ftyp('iso5', 1, 'isom', 'iso5', 'hlsf'),
    box('moov', ...movie),
    fragment,
    box('mdat', sound(2000)),
  ])
}

/** Frames of AAC in a second. */
const FRAMES_A_SECOND = 43

/** Where Android's writer puts the tracks. */
export type AndroidTracks = 'end' | 'front'

/** The start of a recording of Android: an MP4 or a 3GP file of sound, and some seconds long. */
export function androidRecording(format: 'mp4' | '3gp', tracks: AndroidTracks, seconds = 5): Buffer {
  const head = format === 'mp4' ? ftyp('mp42', 0, 'isom', 'mp42') : ftyp('3gp4', 0, 'isom', '3gp4')
  const track = trak({ id: 1, handler: 'soun', name: 'SoundHandle', samples: seconds * FRAMES_A_SECOND })
  const moov = box('moov', mvhd(1), track)
  const mdat = box('mdat', sound(seconds * 12_000))
  const reserved = box('free', Buffer.alloc(400))
  return Buffer.concat(tracks === 'end' ? [head, mdat, moov] : [head, moov, reserved, mdat])
}

/** The start of a file of Voice Memos, which has its tracks at the end, or of one that a program has put in front. */
export function voiceMemo(tracks: AndroidTracks = 'end'): Buffer {
  const track = trak({ id: 1, handler: 'soun', name: 'Core Media Audio', samples: 200 })
  const head = [ftyp('M4A ', 0, 'M4A ', 'isom', 'mp42', '\0\0\0\0'), box('wide')]
  const [mdat, moov] = [box('mdat', sound(60_000)), box('moov', mvhd(1), track)]
  return Buffer.concat(tracks === 'end' ? [...head, mdat, moov] : [...head, moov, mdat])
}

/** A recording of a phone's camera: a picture and sound. */
export function cameraRecording(format: 'mp4' | '3gp' | 'mov', tracks: AndroidTracks): Buffer {
  const head = { mp4: ftyp('mp42', 0, 'isom'), '3gp': ftyp('3gp4', 0, 'isom'), mov: ftyp('qt  ', 0, 'qt  ') }[format]
  const picture = trak({ id: 2, handler: 'vide', name: 'VideoHandle', samples: 150 })
  const moov = box('moov', mvhd(2), trak({ id: 1, handler: 'soun', name: 'SoundHandle', samples: 215 }), picture)
  const mdat = box('mdat', sound(60_000))
  return Buffer.concat(tracks === 'end' ? [head, mdat, moov] : [head, moov, mdat])
}
