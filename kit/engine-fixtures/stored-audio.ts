import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/test-audio/', import.meta.url))

/**
 * Audio for tests that is made once and stored in a file for other test files and later runs: a program of WebAssembly
 * takes a second to load.
 * @param parts All that the audio depends on: the maker's name and version, and its input.
 * @param make Makes the audio when there is no file.
 */
export async function storedAudio(
  parts: readonly (string | Uint8Array)[],
  make: () => Promise<Buffer>,
): Promise<Buffer> {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  const path = join(FOLDER, hash.digest('hex'))
  const stored = await readFile(path).catch(() => undefined)
  if (stored !== undefined) return stored
  const made = await make()
  await mkdir(FOLDER, { recursive: true })
  // Several calls may make the same file at once, in one process or in many: each reader sees a whole one.
  const own = `${path}.${randomUUID()}`
  await writeFile(own, made)
  await rename(own, path)
  return made
}
