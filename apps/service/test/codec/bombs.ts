import { deflateSync } from 'node:zlib'

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

/** A Matroska element with any stated length, always written in eight bytes. */
export function element(id: string, length: number, content: Uint8Array = new Uint8Array()): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, content])
}

/** A Matroska file of these elements. */
export function matroska(...elements: readonly Uint8Array[]): Buffer {
  const kind = element('4282', 8, Buffer.from('matroska'))
  return Buffer.concat([element('1a45dfa3', kind.byteLength, kind), element('18538067', 2 ** 50), ...elements])
}

/** An MP4 box: its size, its name, its content. */
export function box(name: string, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, part) => sum + part.byteLength, 8)
  return Buffer.concat([numbers(size), Buffer.from(name, 'latin1'), ...content])
}

/** 32-bit numbers, the most significant byte first. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Version 0 and no flags, as in most boxes, then numbers. */
function full(name: string, ...values: readonly number[]): Buffer {
  return box(name, numbers(0, ...values))
}

/** Sample fields of a track. */
interface TrackOptions {
  readonly id: number
  readonly samples: number
  /** Bytes of each sample. 0 announces a table, which does not follow. */
  readonly sampleBytes?: number
  /** Replaces the reference to the data in the same file. */
  readonly reference?: Buffer
  /** Offset of the samples, in bytes. @default 0 */
  readonly offset?: number
}

/** A track of 8 kHz, 16 bit, one channel. */
function track({ id, samples, sampleBytes = 2, reference, offset = 0 }: TrackOptions): Buffer {
  const sampleEntry = box('sowt', numbers(0, 1, 0, 0, 0x0001_0010, 0, 8000 * 65_536))
  const table = box(
    'stbl',
    box('stsd', numbers(0, 1), sampleEntry),
    // a duration other than 1 makes ffmpeg keep an entry for each sample
    full('stts', 1, samples, 2),
    full('stsc', 1, 1, samples, 1),
    full('stsz', sampleBytes, samples),
    full('stco', 1, offset),
  )
  const data = box('dinf', box('dref', numbers(0, 1), reference ?? box('url ', numbers(1))))
  const handler = box('hdlr', numbers(0, 0), Buffer.from('soun'), Buffer.alloc(13))
  return box(
    'trak',
    full('tkhd', 0, 0, id, 0, samples, ...Array.from({ length: 15 }, () => 0)),
    box('mdia', full('mdhd', 0, 0, 8000, samples, 0), handler, box('minf', full('smhd', 0), data, table)),
  )
}

/** The head of a MOV with these tracks; samples may follow. */
export function movHead(...tracks: readonly TrackOptions[]): Buffer {
  const kind = box('ftyp', Buffer.from('qt  \0\0\0\0qt  ', 'latin1'))
  const head = full('mvhd', 0, 0, 8000, 8000, ...Array.from({ length: 20 }, () => 0))
  return Buffer.concat([kind, box('moov', head, ...tracks.map(track))])
}

const SEGMENTS = 255

/** Row of Ogg's checksum: the polynomial 0x04c11db7, not reflected. */
const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let row = byte << 24
  for (let bit = 0; bit < 8; bit += 1) row = row < 0 ? (row << 1) ^ 0x04c1_1db7 : row << 1
  return row
})

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = (sum << 8) ^ (CHECKSUMS[((sum >>> 24) ^ byte) & 0xff] ?? 0)
  return sum >>> 0
}

function makePage(number: number, continued: boolean, lacing: readonly number[], body: Uint8Array): Buffer {
  const head = Buffer.alloc(27 + lacing.length)
  head.write('OggS', 0, 'latin1')
  head.writeUInt8((continued ? 1 : 0) | (number === 0 ? 2 : 0), 5)
  head.writeUInt32LE(number, 18)
  head.writeUInt8(lacing.length, 26)
  head.set(lacing, 27)
  const whole = Buffer.concat([head, body])
  whole.writeUInt32LE(checksum(whole), 22)
  return whole
}

/** An Ogg file of these packets. Each of the first two starts a page, as header packets do. */
function oggPages(packets: readonly Uint8Array[]): Buffer {
  const pages: Buffer[] = []
  let [lacing, parts, continued]: [number[], Uint8Array[], boolean] = [[], [], false]
  const flush = (goesOn: boolean): void => {
    if (lacing.length > 0) pages.push(makePage(pages.length, continued, lacing, Buffer.concat(parts)))
    ;[lacing, parts, continued] = [[], [], goesOn]
  }
  for (const [index, packet] of packets.entries()) {
    for (let at = 0; at <= packet.byteLength; at += 255) {
      if (lacing.length === SEGMENTS) flush(at > 0)
      const part = packet.subarray(at, at + 255)
      lacing.push(part.byteLength)
      parts.push(part)
    }
    if (index < 2) flush(false)
  }
  flush(false)
  return Buffer.concat(pages)
}
