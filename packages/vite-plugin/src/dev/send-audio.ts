import type { IncomingMessage, ServerResponse } from 'node:http'

/** Audio that can be sent. */
export interface SendableAudio {
  readonly audio: Uint8Array
  /** MIME type. */
  readonly type: string
  /** sha256 of the audio, hexadecimal. It is the ETag. */
  readonly sha256: string
}

/**
 * Answers a GET or HEAD with audio: whole (200), a range (206), not modified (304) or not satisfiable (416). Browsers
 * revalidate each time: after the cache is emptied, the same text gets other audio.
 */
export function sendAudio(
  request: IncomingMessage,
  response: ServerResponse,
  { audio, type, sha256 }: SendableAudio,
): void {
  const etag = `"${sha256}"`
  const size = audio.byteLength
  response.setHeader('Accept-Ranges', 'bytes')
  response.setHeader('Cache-Control', 'no-cache')
  response.setHeader('ETag', etag)
  if (matches(request.headers['if-none-match'], etag)) {
    response.writeHead(304).end()
    return
  }
  // A range of other audio would not fit the part that the browser has (RFC 9110 §13.1.5).
  const ifRange = request.headers['if-range']
  const range = ifRange === undefined || ifRange === etag ? parseByteRange(request.headers.range, size) : 'whole'
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end()
    return
  }
  const body = range === 'whole' ? audio : audio.subarray(range.first, range.last + 1)
  const contentRange = range === 'whole' ? {} : { 'Content-Range': `bytes ${range.first}-${range.last}/${size}` }
  response.writeHead(range === 'whole' ? 200 : 206, {
    'Content-Type': type,
    'Content-Length': body.byteLength,
    ...contentRange,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** First and last byte of a part of a file, both included. */
interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Parses a `Range` header (RFC 9110 §14). Players request one range. Several ranges, other units and malformed headers are
 * ignored, as the RFC allows: the response is the whole file.
 * @param size Size of the file, in bytes.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole'
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return 'whole'
  return first >= size ? 'unsatisfiable' : { first, last }
}
