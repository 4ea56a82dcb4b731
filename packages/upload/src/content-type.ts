import { fileTypeFromBuffer } from 'file-type'
import { UploadError } from './errors.ts'
import type { ResolvedUploadOptions } from './options.ts'

/** First bytes that identify the type of a file. */
export const HEAD_BYTES = 4100

/** The type of a file by its first bytes. */
export interface DetectedType {
  /** MIME type, e.g. `audio/wav`. */
  readonly mime: string
  /** Usual extension without a dot, e.g. `wav`. */
  readonly ext: string
}

/** WAV with 64-bit sizes, which file-type does not know: RF64 and BW64 (EBU Tech 3306), and Sony's Wave64. */
function detectLongWav(head: Uint8Array): DetectedType | undefined {
  const at = (start: number, end: number): string => String.fromCharCode(...head.subarray(start, end))
  if (['RF64', 'BW64'].includes(at(0, 4)) && at(8, 12) === 'WAVE') return { mime: 'audio/wav', ext: 'wav' }
  return at(0, 16) === WAVE64 ? { mime: 'audio/x-w64', ext: 'w64' } : undefined
}

/** The GUID of a Wave64 file. */
const WAVE64 = 'riff\u002E\u0091\u00CF\u0011\u00A5\u00D6\u0028\u00DB\u0004\u00C1\0\0'

/** Bytes that encoders and transports write before an MP3 frame: zeros and line breaks. */
const PADDING = new Set([0x00, 0x0a, 0x0d])

/** The type of a file by its first bytes; `undefined` without a known signature. */
export async function detectType(head: Uint8Array): Promise<DetectedType | undefined> {
  // On the untrimmed bytes first: the header of an MPEG stream starts with zeros.
  return detectLongWav(head) ?? (await fileTypeFromBuffer(head)) ?? detectBehindPadding(head)
}

async function detectBehindPadding(head: Uint8Array): Promise<DetectedType | undefined> {
  const begin = head.findIndex((byte) => !PADDING.has(byte))
  return begin > 0 ? fileTypeFromBuffer(head.subarray(begin)) : undefined
}

/**
 * Checks a file by its first bytes. A container with sound and no picture is audio, whatever its signature says. The
 * declared type counts where the bytes do not tell: without a known signature, `audio/*` goes to the service, which
 * supports more formats than these signatures; a container that lists its tracks at its end has the declared family.
 * @param declared The client's media type.
 * @returns `undefined` for accepted content without a signature
 * @throws UploadError `unsupported_content`
 */
export async function checkContent(
  head: Uint8Array,
  declared: string,
  { accept, allowRaw }: Pick<ResolvedUploadOptions, 'accept' | 'allowRaw'>,
): Promise<DetectedType | undefined> {
  const found = namedByContent(await detectType(head), head, declared)
  const isAccepted = (mime: string): boolean => accept.some((pattern) => matchesType(pattern, mime))
  const passes =
    found === undefined
      ? allowRaw || (matchesType('audio/*', declared) && isAccepted(declared))
      : isAccepted(found.mime)
  if (passes) return found
  throw new UploadError('unsupported_content', 'The file is none of the accepted kinds of audio or video')
}

/** Gives a container of sound its `audio` name. */
function namedByContent(found: DetectedType | undefined, head: Uint8Array, declared: string): DetectedType | undefined {
  if (found === undefined || !CONTAINERS.has(found.mime.toLowerCase())) return found
  const media = containedMedia(head) ?? (matchesType('audio/*', declared) ? 'audio' : 'video')
  return media === 'audio' ? { ...found, mime: audioName(found.mime) } : found
}

/** Containers whose signature says `video` also for sound alone. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'video/webm',
  'video/x-matroska',
  'video/matroska',
  'video/mp4',
  'video/3gpp',
  'video/3gpp2',
  'video/quicktime',
])

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
  for (let at = start; at + 8 <= limit;) {
    const length = view.getUint32(at)
    const isLong = length === 1
    if (isLong && at + 16 > limit) return
    const headSize = isLong ? 16 : 8
    const size = isLong ? number(view, at + 8, 8) : length
    // 0 means up to the end of the file.
    const end = size === 0 ? Infinity : at + size
    if (end < at + headSize) return
    yield { id: view.getUint32(at + 4), start: at + headSize, end: Math.min(end, limit), whole: end <= limit }
    at = end
  }
}

function number(view: DataView, at: number, size: number): number {
  let value = 0
  for (let index = 0; index < size; index++) value = value * 256 + view.getUint8(at + index)
  return value
}

/** Names of one type that browsers, phones and settings of other products use. Patterns and types mean the same by each. */
const ALIASES: Readonly<Record<string, string>> = {
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/mp4a-latm': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/mpga': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'audio/oga': 'audio/ogg',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  // WebM is a subset of Matroska; Chromium writes PCM for `audio/webm` into Matroska.
  'audio/x-matroska': 'audio/webm',
  'audio/matroska': 'audio/webm',
  'video/x-matroska': 'video/webm',
  'video/matroska': 'video/webm',
  'audio/3gpp2': 'audio/3gpp',
}

/** A type without parameters, in lower case, by the first of its names. */
function canonical(mime: string): string {
  const type = mime.split(';', 1).join('').trim().toLowerCase()
  return ALIASES[type] ?? type
}

/** Whether a type equals the pattern, by any of its names, or belongs to its family. Parameters do not count. */
function matchesType(pattern: string, mime: string): boolean {
  const wanted = pattern.toLowerCase()
  return wanted.endsWith('/*')
    ? mime.trim().toLowerCase().startsWith(wanted.slice(0, -1))
    : canonical(mime) === canonical(wanted)
}

/** The `audio` name of a container, e.g. `audio/webm` for `video/webm`. */
function audioName(mime: string): string {
  return mime.toLowerCase() === 'video/quicktime' ? 'audio/mp4' : mime.replace(/^video\//i, 'audio/')
}
