import { open } from 'node:fs/promises'
import { lend } from './buffer-recycling.ts'

/** Size of one read, in bytes. It is large enough that system calls do not limit a big upload. */
const READ_BYTES = 256 * 1024

/**
 * Reads the first `size` bytes of a file, or fewer if the file is shorter. A file that grows in the meantime is cut at
 * its announced size. The memory of a chunk is reused only after a socket has written it ({@link lend}).
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
