import { hasAscii, viewOf } from './bytes.ts'

/**
 * Length of a WAV file, in seconds: bytes of its `data` chunk over frame size and rate of its `fmt ` chunk. A `data` size
 * beyond the end of the file, as writers to a pipe leave it, counts up to the end.
 */
export function wavSeconds(file: Uint8Array): number | undefined {
  if (!hasAscii(file, 0, 'RIFF') || !hasAscii(file, 8, 'WAVE')) return undefined
  const view = viewOf(file)
  let bytesPerSecond = 0
  for (let offset = 12; offset + 8 <= file.byteLength;) {
    const size = view.getUint32(offset + 4, true)
    const body = offset + 8
    if (hasAscii(file, offset, 'fmt ') && size >= 16 && body + 16 <= file.byteLength) {
      bytesPerSecond = view.getUint32(body + 4, true) * view.getUint16(body + 12, true)
    }
    if (hasAscii(file, offset, 'data')) {
      return bytesPerSecond > 0 ? Math.min(size, file.byteLength - body) / bytesPerSecond : undefined
    }
    offset = body + size + (size % 2)
  }
  return undefined
}
