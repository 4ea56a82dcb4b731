/** A part of a representation, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header for a body of the given size (RFC 9110, 14.2). Serves one range. Ignores several ranges,
 * another unit or an unreadable header, as the RFC allows.
 * @returns `undefined` for the whole body, `unsatisfiable` for a range behind the end
 */
export function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const { first = '', last = '' } = /^bytes=(?<first>\d*)-(?<last>\d*)$/.exec(header?.trim() ?? '')?.groups ?? {}
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= bytes ? 'unsatisfiable' : { start, end }
}

/**
 * Whether an `If-Range` header lets the range count: the header is missing or names this version. Weak tags never match
 * (RFC 9110, 13.1.5).
 * @param version Its strong entity tag, and the date of its `Last-Modified`.
 */
export function rangeCounts(
  header: string | undefined,
  version: { readonly etag: string; readonly lastModified: string },
): boolean {
  return header === undefined || header === version.etag || header === version.lastModified
}

/** Whether an `If-None-Match` header names this entity tag (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}
