import { open } from 'node:fs/promises'
import { lend } from './buffer-recycling.ts'

/** Size of one read: large enough that a big upload is not bound by system calls. */
const READ_BYTES = 256 * 1024

/**
 * The first `size` bytes of a file, or what there is of them, so that a file that grows in the meantime is cut at the size it
 * was announced with. A chunk's memory is used again after it was written to a socket, and only then ({@link lend}).
 */
export async function* readChunks(path: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path)
  try {
    let free: Uint8Array | undefined
    for (let from = 0; from < size;) {
      const buffer = free ?? Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size))
      free = undefined
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.byteLength, size - from), from)
      if (bytesRead === 0) return
      from += bytesRead
      const chunk = buffer.subarray(0, bytesRead)
      lend(chunk, () => (free = buffer))
      yield chunk
    }
  } finally {
    await file.close()
  }
}
