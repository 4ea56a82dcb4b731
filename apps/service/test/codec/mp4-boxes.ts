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
export interface TrackOptions {
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
