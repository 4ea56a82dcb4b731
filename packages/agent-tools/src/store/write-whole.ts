import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that appears only once it is complete and on disk: beside its target, then renamed, since a rename in
 * one folder is atomic.
 * @returns Size in bytes.
 */
export async function writeWhole(
  path: string,
  audio: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const temporary = `${path}.${randomUUID()}.part`
  const file = await open(temporary, 'wx')
  try {
    for await (const chunk of audio) {
      signal?.throwIfAborted()
      await file.writeFile(chunk)
    }
    signal?.throwIfAborted()
    await file.sync()
    const { size } = await file.stat()
    await file.close()
    await rename(temporary, path)
    return size
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}
