import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const DIGEST_BYTES = 32

/**
 * Returns the bytes made from `source`: from the folder when stored, else made now and stored. The file's name has the
 * hash of its source and of the maker's version. The file begins with the hash of its content, so a damaged one is made
 * again. A file appears whole or not at all, also when several processes make it at a time.
 *
 * A folder that is not writable costs only time: a process warning reports it, and nothing is stored.
 *
 * @param folder Made when it is missing.
 * @param make Makes the bytes.
 */
export async function cachedBytes(
  folder: string,
  { source, version }: { readonly source: Uint8Array; readonly version: number },
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const key = sha256(source, Buffer.from(`\0${version}`))
    .toString('hex')
    .slice(0, 32)
  const path = join(folder, `pocketsphinx-${key}.bin`)
  const kept = await readChecked(path)
  if (kept !== undefined) return kept
  const bytes = await make()
  try {
    await mkdir(folder, { recursive: true })
    await writeWhole(path, [sha256(bytes), bytes])
  } catch (error) {
    process.emitWarning(`The speech recognizer cannot be cached in ${folder}: ${String(error)}`)
  }
  return bytes
}

/** The name that {@link writeWhole} gives an incomplete file. */
const TEMPORARY = /^pocketsphinx-[0-9a-f]{32}\.bin\.[0-9a-f-]{36}\.tmp$/

/**
 * Removes the incomplete files of a crash. Call it when the folder's owner starts. A concurrent writer then cannot
 * store its file and continues without.
 */
export async function sweepCache(folder: string): Promise<void> {
  // A missing or unreadable folder has no incomplete files to remove.
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => TEMPORARY.test(name))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)))
}

async function readChecked(path: string): Promise<Uint8Array | undefined> {
  let file: Buffer
  try {
    file = await readFile(path)
  } catch {
    // Missing or unreadable files are made again.
    return undefined
  }
  const content = file.subarray(DIGEST_BYTES)
  return sha256(content).equals(file.subarray(0, DIGEST_BYTES)) ? content : undefined
}

async function writeWhole(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx')
    try {
      for (const part of parts) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
