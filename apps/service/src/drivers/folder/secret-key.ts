import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from './folders.ts'

/** Path of the key of a folder. */
export function secretKeyPath(folder: string): string {
  return join(folder, 'secret.key')
}

/**
 * Reads the key that seals the secrets of a data folder: its file `secret.key`. The first call makes it. It is not in the
 * database, so a copy of the database alone reveals no secret.
 */
export async function readSecretKey(folder: string): Promise<string> {
  const path = secretKeyPath(folder)
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // Of two processes that make it, the first one counts.
    await link(temporary, path).catch(() => undefined)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(folder)
  return (await readFile(path, 'utf8')).trim()
}
