import { deflateSync } from 'node:zlib'
import { element, matroska } from './matroska-elements.ts'
import { box, movHead, numbers } from './mp4-boxes.ts'
import { oggPages } from './ogg-pages.ts'

const MB = 1024 * 1024

/** A small file that demands far more memory or time than its size. */
interface Bomb {
  readonly name: string
  readonly make: () => Buffer
  /** Size of the file in bytes. A hole of zeros on the disk follows the made bytes. */
  readonly size?: number
}

/** A few kilobytes. ffmpeg holds 24 bytes for each announced sample, 2 GB in all. */
function movOfManySamples(): Buffer {
  return movHead(...Array.from({ length: 10 }, (_, index) => ({ id: index + 1, samples: 10_000_000, sampleBytes: 1 })))
}

/** Tables of 2^28 rows. */
function movOfLongTables(): Buffer {
  return movHead({ id: 1, samples: 2 ** 28, sampleBytes: 0 }, { id: 2, samples: 2 ** 28 })
}

function nestedBoxes(): Buffer {
  const opened = Array.from({ length: 20_000 }, () => Buffer.concat([numbers(0xffff_fff0), Buffer.from('moov')]))
  return Buffer.concat([box('ftyp', Buffer.from('qt  \0\0\0\0qt  ', 'latin1')), ...opened])
}

/** Nested boxes that claim four gigabytes each, down to a table. */
function boastfulBoxes(): Buffer {
  const boxes = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stts'].map((name) => [
    numbers(2 ** 32 - 1),
    Buffer.from(name),
  ])
  return Buffer.concat([box('ftyp', Buffer.from('qt  ')), ...boxes.flat(), Buffer.alloc(2048, 0xff)])
}

/** Seven bits a byte, as ID3 counts. */
function syncsafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >>> shift) & 0x7f))
}

/** The head of an ID3 tag of this many bytes. */
function id3Head(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('ID3\u0004\0\0', 'latin1'), syncsafe(bytes)])
}

/** An MP3 with pictures in its tag, each compressed from 100 MB to 100 KB. */
function compressedPictures(): Buffer {
  const picture = Buffer.alloc(100 * MB)
  picture.write('\0image/png\0\u0003\0', 'latin1')
  const packed = deflateSync(picture)
  const frame = Buffer.concat([
    Buffer.from('APIC'),
    syncsafe(packed.byteLength + 4),
    // compressed, and the true length follows
    Buffer.from([0, 0x09]),
    numbers(picture.byteLength),
    packed,
  ])
  const frames = Array.from({ length: 10 }, () => frame)
  return Buffer.concat([id3Head(frame.byteLength * 10), ...frames])
}

/** Padding of four petabytes. */
const matroskaOfPadding = (): Buffer => matroska(element('ec', 2 ** 52), Buffer.alloc(4096))

/** A font of 250 MB, which ffmpeg reads before anything else. */
function matroskaOfAttachments(): Buffer {
  const data = 250 * MB
  const name = element('466e', 4, Buffer.from('font'))
  const head = Buffer.concat([name, element('465c', data)])
  return matroska(element('1941a469', 2 ** 40), element('61a7', head.byteLength + data), head)
}

/** A comment of 39 MB across many pages. */
function oggOfOneComment(): Buffer {
  const head = Buffer.from('OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0', 'latin1')
  const comment = Buffer.alloc(39 * MB)
  comment.write('OpusTags\xFF\xFF\xFF\xFF', 'latin1')
  return oggPages([head, comment])
}

/** An Opus file with ten minutes of one-byte packets of 20 ms each. */
function oggOfNothing(): Buffer {
  const head = Buffer.from('OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0', 'latin1')
  const tags = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1')
  return oggPages([head, tags, ...Array.from({ length: 600 * 50 }, () => Buffer.from([0x08]))])
}

/** A WAV head with any numbers in its fields. */
function wavHead(channels: number, sampleRate: number, formatBytes = 16): Buffer {
  const head = Buffer.alloc(4096)
  head.write('RIFF\xFF\xFF\xFF\xFFWAVEfmt ', 0, 'latin1')
  head.writeUInt32LE(formatBytes, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE((sampleRate * channels * 2) % 2 ** 32, 28)
  head.writeUInt16LE((channels * 2) % 65_536, 32)
  head.writeUInt16LE(16, 34)
  if (formatBytes === 16) head.write('data\xFF\xFF\xFF\xFF', 36, 'latin1')
  return head
}

/** Files that claim or expand to more than a machine has. */
export const BOMBS: readonly Bomb[] = [
  { name: 'a MOV of a hundred million samples', make: movOfManySamples },
  { name: 'a MOV with tables of 2^28 rows', make: movOfLongTables, size: 300 * MB },
  { name: 'boxes within boxes', make: nestedBoxes },
  { name: 'a tag of compressed pictures', make: compressedPictures },
  { name: 'a Matroska file of padding', make: matroskaOfPadding },
  { name: 'a Matroska file of attachments', make: matroskaOfAttachments, size: 400 * MB },
  { name: 'an Ogg file of one comment', make: oggOfOneComment },
  { name: 'an Opus file of ten minutes of nothing', make: oggOfNothing },
  { name: 'a MOV of boxes larger than it is', make: boastfulBoxes },
  { name: 'an ID3 tag that claims 256 MB', make: () => Buffer.concat([id3Head(2 ** 28 - 1), Buffer.alloc(4096)]) },
  { name: 'a WAV of 65,535 channels', make: () => wavHead(65_535, 48_000) },
  { name: 'a WAV of 2,147,483,647 Hz', make: () => wavHead(1, 2_147_483_647) },
  { name: 'a WAV of 25,000,000 Hz', make: () => wavHead(1, 25_000_001) },
  { name: 'a WAV of 1 Hz', make: () => wavHead(2, 1) },
  { name: 'a WAV whose format has 4 GB', make: () => wavHead(1, 16_000, 0xffff_ffff) },
]
