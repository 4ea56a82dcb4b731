import { fileTypeFromBuffer } from 'file-type'
import type { ResolvedUploadOptions } from './options.ts'
import { UploadError } from './upload-error.ts'

/** Bytes that are enough to know a file by. */
export const SNIFF_BYTES = 4100

/** What the first bytes of a file say it is. */
export interface SniffedType {
  /** MIME type, e.g. `audio/wav`. */
  readonly mime: string
  /** Common extension without a dot, e.g. `wav`. */
  readonly ext: string
}

/**
 * Judges a file by its first bytes; what the client says of it does not count.
 *
 * @returns `undefined` for content without a known signature, where that is allowed.
 * @throws UploadError `unsupported_content`
 */
export async function sniff(
  head: Uint8Array,
  { accept, allowRaw }: Pick<ResolvedUploadOptions, 'accept' | 'allowRaw'>,
): Promise<SniffedType | undefined> {
  const found = await fileTypeFromBuffer(head)
  if (found === undefined ? allowRaw : accept.some((pattern) => matches(pattern, found.mime))) return found
  throw new UploadError('unsupported_content', 'The file is none of the accepted kinds of audio or video')
}

/** Whether a type is the pattern's own or of its family; parameters such as `; codecs=opus` do not count. */
function matches(pattern: string, mime: string): boolean {
  const type = mime.split(';', 1).join('').toLowerCase()
  const wanted = pattern.toLowerCase()
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}
