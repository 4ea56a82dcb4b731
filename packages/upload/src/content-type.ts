import { fileTypeFromBuffer } from 'file-type'
import { containedMedia } from './container.ts'
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
 * supports more formats than these signatures. A container that lists its tracks at its end passes as sound too: file inputs
 * and phones declare recordings as `video/*` or as nothing.
 * @param declared The client's media type.
 * @returns `undefined` for accepted content without a signature
 * @throws UploadError `unsupported_content`
 */
export async function checkContent(
  head: Uint8Array,
  declared: string,
  { accept, allowRaw }: Pick<ResolvedUploadOptions, 'accept' | 'allowRaw'>,
): Promise<CheckedType | undefined> {
  const found = await detectType(head)
  const isAccepted = (mime: string): boolean => accept.some((pattern) => matchesType(pattern, mime))
  if (found === undefined) {
    if (allowRaw || (matchesType('audio/*', declared) && isAccepted(declared))) return undefined
    throw unsupportedContent()
  }
  const type = possibleTypes(found, head, declared).find(({ mime }) => isAccepted(mime))
  if (type === undefined) throw unsupportedContent()
  return { ...type, noPicture: MP4_TYPES.has(found.mime) && type.mime !== found.mime && !isAccepted(found.mime) }
}

/** A type that the options accept. */
export interface CheckedType extends DetectedType {
  /** Whether a picture, which may yet arrive, makes the file one that is not accepted. */
  readonly noPicture: boolean
}

/** Makes the error of content that is not accepted. */
export function unsupportedContent(): UploadError {
  return new UploadError('unsupported_content', 'The file is none of the accepted kinds of audio or video')
}

/** What a file may be, the likely type first. A container of sound has its `audio` name. */
function possibleTypes(found: DetectedType, head: Uint8Array, declared: string): readonly DetectedType[] {
  if (!CONTAINERS.has(found.mime.toLowerCase())) return [found]
  const sound = { ...found, mime: audioName(found.mime) }
  const media = containedMedia(head)
  if (media === 'video') return [found]
  return media === 'audio' || matchesType('audio/*', declared) ? [sound] : [found, sound]
}

/** Containers that may list their tracks at the end, and whose signature says `video` also for sound alone. */
const MP4_TYPES: ReadonlySet<string> = new Set(['video/mp4', 'video/3gpp', 'video/3gpp2', 'video/quicktime'])

/** Containers whose signature says `video` also for sound alone. */
const CONTAINERS: ReadonlySet<string> = new Set([...MP4_TYPES, 'video/webm', 'video/x-matroska', 'video/matroska'])

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
