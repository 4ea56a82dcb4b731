import { audioBytes, type HttpReply } from '../upstream/reply.ts'
import { Refusal } from './fields.ts'

/** A finished audio file. */
export interface AudioFile {
  /** Its bytes. */
  readonly bytes: Uint8Array
  /** Its MIME type. */
  readonly contentType: string
}

/**
 * Answers with a file, or with the part that `Range` asks for, as players do (RFC 9110, 14).
 * @throws Refusal 416 for a range outside the file
 */
export function partOf(
  { bytes, contentType }: AudioFile,
  etag: string,
  { range, 'if-range': condition }: Readonly<Record<string, string>>,
): HttpReply {
  const size = bytes.byteLength
  const headers = { 'accept-ranges': 'bytes', etag }
  const asked = condition === undefined || condition === etag ? rangeOf(range, size) : undefined
  if (asked === undefined) return audioBytes(bytes, contentType, { headers })
  const [first, last] = asked
  if (first > last) {
    const outside = { ...headers, 'content-range': `bytes */${size}` }
    throw new Refusal(416, 'range_not_satisfiable', null, 'The audio has no such range', outside)
  }
  const part = { ...headers, 'content-range': `bytes ${first}-${last}/${size}` }
  return audioBytes(bytes.subarray(first, last + 1), contentType, { status: 206, headers: part })
}

/** First and last byte of the one range of a header. Any other header is ignored. */
function rangeOf(header: string | undefined, size: number): readonly [first: number, last: number] | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from + to === '' || (from !== '' && to !== '' && Number(to) < Number(from))) return undefined
  if (from === '') return [Math.max(0, size - Number(to)), size - 1]
  return [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)]
}
