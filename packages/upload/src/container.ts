/** What a container holds: sound without a picture, or a picture. `undefined` if its first bytes do not tell. */
type ContainedMedia = 'audio' | 'video' | undefined

/**
 * Finds out whether a WebM, Matroska, MP4 or QuickTime container has a picture, by the list of its tracks. Recorders of
 * browsers and phones write sound into containers whose signature says `video`. Only boxes and lengths are read here; a
 * file that lists its tracks at its end, or beyond the inspected bytes, stays unknown.
 */
export function containedMedia(head: Uint8Array): ContainedMedia {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const kinds = isMatroska(view) ? matroskaTracks(view) : mp4Tracks(view)
  if (kinds === undefined) return undefined
  if (kinds.has('video')) return 'video'
  return kinds.has('audio') ? 'audio' : undefined
}

type Kinds = ReadonlySet<string>

/** A part of a container: where its content starts and ends, and whether all of it was inspected. */
interface Part {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly whole: boolean
}

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const TRACK_ENTRY = 0xae
const TRACK_TYPE = 0x83
const MATROSKA_KINDS = new Map([
  [1, 'video'],
  [2, 'audio'],
])

function isMatroska(view: DataView): boolean {
  return view.byteLength >= 4 && view.getUint32(0) === EBML
}

/** Matroska (RFC 9559): Segment, Tracks, TrackEntry, TrackType. */
function matroskaTracks(view: DataView): Kinds | undefined {
  const segment = find(elements(view, 0, view.byteLength), SEGMENT)
  const tracks = segment && find(elements(view, segment.start, segment.end), TRACKS)
  if (tracks?.whole !== true) return undefined
  const kinds = new Set<string>()
  for (const entry of elements(view, tracks.start, tracks.end)) {
    if (entry.id !== TRACK_ENTRY) continue
    const type = find(elements(view, entry.start, entry.end), TRACK_TYPE)
    if (type === undefined || type.end === type.start) return undefined
    kinds.add(MATROSKA_KINDS.get(view.getUint8(type.end - 1)) ?? 'other')
  }
  return kinds
}

/** MP4 and QuickTime (ISO/IEC 14496-12): moov, trak, mdia, hdlr. */
function mp4Tracks(view: DataView): Kinds | undefined {
  const moov = find(boxes(view, 0, view.byteLength), fourCharacters('moov'))
  // The tables of a track's samples grow with the file: after some 20 s of sound, `moov` exceeds the inspected bytes.
  if (moov === undefined || !(moov.whole || hasOneTrack(view, moov))) return undefined
  const kinds = new Set<string>()
  for (const track of boxes(view, moov.start, moov.end)) {
    if (track.id !== fourCharacters('trak')) continue
    const media = find(boxes(view, track.start, track.end), fourCharacters('mdia'))
    const handler = media && find(boxes(view, media.start, media.end), fourCharacters('hdlr'))
    if (handler === undefined || handler.end - handler.start < 12) return undefined
    const type = view.getUint32(handler.start + 8)
    kinds.add(MP4_KINDS.get(type) ?? 'other')
  }
  return kinds
}

/** Whether `mvhd` says that no track has an id above 1: its last field is the id of the next track. */
function hasOneTrack(view: DataView, moov: Part): boolean {
  const header = find(boxes(view, moov.start, moov.end), fourCharacters('mvhd'))
  return header?.whole === true && header.end - header.start >= 4 && view.getUint32(header.end - 4) === 2
}

function fourCharacters(name: string): number {
  return new TextEncoder().encode(name).reduce((id, byte) => id * 256 + byte, 0)
}

const MP4_KINDS = new Map([
  [fourCharacters('vide'), 'video'],
  [fourCharacters('soun'), 'audio'],
])

function find(parts: Iterable<Part>, id: number): Part | undefined {
  for (const part of parts) if (part.id === id) return part
  return undefined
}

/** EBML elements (RFC 8794): an id and a length of variable size. An element of unknown length goes up to the end. */
function* elements(view: DataView, start: number, limit: number): Generator<Part> {
  for (let at = start; at < limit;) {
    const idSize = Math.clz32(view.getUint8(at)) - 23
    if (idSize > 4 || at + idSize >= limit) return
    const size = Math.clz32(view.getUint8(at + idSize)) - 23
    const content = at + idSize + size
    if (size > 8 || content > limit) return
    const id = number(view, at, idSize)
    const end = content + elementLength(view, at + idSize, size)
    yield { id, start: content, end: Math.min(end, limit), whole: end <= limit }
    at = end
  }
}

/** The length behind the marker bit; infinite if all its bits are set, as a recorder writes it before it knows the length. */
function elementLength(view: DataView, at: number, size: number): number {
  const mask = 0xff >> size
  let length = view.getUint8(at) & mask
  let isUnknown = length === mask
  for (let index = 1; index < size; index++) {
    const byte = view.getUint8(at + index)
    length = length * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return isUnknown ? Infinity : length
}

/** MP4 boxes: a length of four bytes with the box's own head, and four characters. */
function* boxes(view: DataView, start: number, limit: number): Generator<Part> {
  const bytes = Buffer.from(view.buffer, view.byteOffset, limit)
  for (let at = start, box = boxHead(bytes, at); box !== undefined; at = box.end, box = boxHead(bytes, at)) {
    yield { ...box, end: Math.min(box.end, limit), whole: box.end <= limit }
  }
}

/** The box at this place. `undefined` if its head has not arrived or is none. */
function boxHead(bytes: Buffer, at: number): Omit<Part, 'whole'> | undefined {
  if (at + 8 > bytes.byteLength) return undefined
  const length = bytes.readUInt32BE(at)
  const headSize = length === 1 ? 16 : 8
  if (at + headSize > bytes.byteLength) return undefined
  const size = length === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : length
  // 0 means up to the end of the file.
  const end = size === 0 ? Infinity : at + size
  return end < at + headSize ? undefined : { id: bytes.readUInt32BE(at + 4), start: at + headSize, end }
}

function number(view: DataView, at: number, size: number): number {
  let value = 0
  for (let index = 0; index < size; index++) value = value * 256 + view.getUint8(at + index)
  return value
}

/** Boxes around the handler of a track. Their content is boxes too. */
const TRACK_PATH: ReadonlySet<number> = new Set(['moov', 'trak', 'mdia'].map(fourCharacters))

/** Bytes of a handler up to the end of its kind. */
const HANDLER_BYTES = 12

/**
 * Finds a track with a picture in an MP4 or QuickTime file that arrives in chunks of any size: recorders of phones list the
 * tracks at the end. It stores at most 28 bytes.
 */
export class PictureScanner {
  /** Bytes to arrive before the next box. */
  #skip = 0
  #pending: Uint8Array = new Uint8Array()

  /** Adds the next bytes of the file. @returns whether a track with a picture has arrived */
  add(chunk: Uint8Array): boolean {
    const passed = Math.min(this.#skip, chunk.byteLength)
    this.#skip -= passed
    if (passed === chunk.byteLength) return false
    const bytes = Buffer.concat([this.#pending, chunk.subarray(passed)])
    let at = 0
    for (let box = boxHead(bytes, at); box !== undefined; box = boxHead(bytes, at)) {
      const isHandler = box.id === fourCharacters('hdlr') && box.end >= box.start + HANDLER_BYTES
      if (isHandler && bytes.byteLength < box.start + HANDLER_BYTES) break
      if (isHandler && MP4_KINDS.get(bytes.readUInt32BE(box.start + 8)) === 'video') return true
      at = TRACK_PATH.has(box.id) ? box.start : box.end
    }
    this.#skip = Math.max(0, at - bytes.byteLength)
    this.#pending = bytes.subarray(at)
    return false
  }
}
