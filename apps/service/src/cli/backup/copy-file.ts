import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat, utimes } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** Size and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number
  readonly sha256: string
}

/**
 * Copies a file durably, with its time. Reads the copy again.
 * @throws Error when the copy differs; errors of the system
 */
export async function copyFileDurably(from: string, to: string): Promise<FileDigest> {
  const hash = createHash('sha256')
  let bytes = 0
  const copy = await open(to, 'wx', 0o600)
  try {
    for await (const chunk of createReadStream(from)) {
      const part: Uint8Array = chunk
      hash.update(part)
      bytes += part.byteLength
      await copy.writeFile(part)
    }
    await copy.sync()
  } finally {
    await copy.close()
  }
  const { atimeMs, mtimeMs } = await stat(from)
  await utimes(to, atimeMs / 1000, mtimeMs / 1000)
  const sha256 = hash.digest('hex')
  const written = await digestOf(to)
  if (written.sha256 !== sha256) throw new Error(`The copy of ${from} differs: check the disk of ${to}`)
  return { bytes, sha256 }
}

/** Reads a file. */
export async function digestOf(path: string): Promise<FileDigest> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}
