import { hasAscii, viewOf } from './bytes.ts'
import { asciiString } from '../streaming/base64.ts'

/** A chunk of a WAV file. */
export interface WavChunk {
  /** Four letters, such as `data`. */
  readonly id: string
  /** Offset of its content, in bytes. */
  readonly start: number
  /** Bytes of its content, as the file says: they may reach beyond its end. */
  readonly size: number
}

/**
 * The chunks of a WAV file, in order.
 *
 * @param file The file, or its first bytes. Another file has no chunks.
 */
export function* wavChunks(file: Uint8Array): Generator<WavChunk, void, undefined> {
  const view = viewOf(file)
  const letters = (at: number): string => asciiString(file.subarray(at, at + 4))
  if (file.byteLength < 12 || !hasAscii(file, 0, 'RIFF') || !hasAscii(file, 8, 'WAVE')) return
  for (let at = 12; at + 8 <= file.byteLength;) {
    const chunk = { id: letters(at), start: at + 8, size: view.getUint32(at + 4, true) }
    yield chunk
    // A chunk of an odd size has a pad byte.
    at = chunk.start + chunk.size + (chunk.size % 2)
  }
}
