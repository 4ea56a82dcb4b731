import { fileTypeFromBuffer } from 'file-type'
import { containedMedia } from './media-tracks.ts'
import { audioName, matchesType } from './media-types.ts'
import type { ResolvedUploadOptions } from './options.ts'
import { UploadError } from './upload-error.ts'

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
