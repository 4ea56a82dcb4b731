import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { StorageArea } from '../../ports/storage-ledger.ts'
import { UsageError } from '../errors.ts'

/** A file of a backup. */
export interface BackupFile {
  /** Path in the backup: `service.sqlite`, `secret.key` or `<folder of the area>/<name>`. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** What a backup contains. */
export interface Manifest {
  /** When the backup was made, in milliseconds since 1970. */
  readonly at: number
  /** Version of the program that made it. */
  readonly version: string
  readonly files: readonly BackupFile[]
  /** Objects that the database names and the folder did not have. */
  readonly missing: readonly { readonly area: StorageArea; readonly name: string }[]
}

const FORMAT = 1
const NAME = 'manifest.jsonl'

const Head = z.object({ format: z.number(), at: z.number(), version: z.string() })
// A path of a backup never leaves its folder.
const File = z.object({
  path: z.string().regex(/^(?:[\w-]+\/)?[\w-][\w.-]*$/),
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[\da-f]{64}$/),
})
const Missing = z.object({ missing: z.object({ area: z.enum(['uploads', 'inputs', 'results']), name: z.string() }) })
const End = z.object({ files: z.number() })

/** Writes the manifest of a backup durably. It comes last: a backup without its end is not complete. */
export async function writeManifest(folder: string, { at, version, files, missing }: Manifest): Promise<void> {
  const manifest = await open(join(folder, NAME), 'wx', 0o600)
  try {
    const lines = [{ format: FORMAT, at, version }, ...files, ...missing.map((one) => ({ missing: one }))]
    for (const line of lines) await manifest.write(`${JSON.stringify(line)}\n`)
    await manifest.write(`${JSON.stringify({ files: files.length })}\n`)
    await manifest.sync()
  } finally {
    await manifest.close()
  }
}

/** @throws UsageError when the folder has no complete manifest of this format */
export async function readManifest(folder: string): Promise<Manifest> {
  const lines: unknown[] = []
  try {
    for await (const line of createInterface({ input: createReadStream(join(folder, NAME)) })) {
      lines.push(JSON.parse(line))
    }
  } catch (error) {
    throw new UsageError(`${folder} is no backup: it has no readable ${NAME}. Choose the folder of a backup`, {
      cause: error,
    })
  }
  const head = Head.safeParse(lines[0])
  const end = End.safeParse(lines.at(-1))
  if (!head.success || !end.success) throw incomplete(folder)
  if (head.data.format !== FORMAT) {
    throw new UsageError(`${folder} was made by another version, ${head.data.version}: restore it with that version`)
  }
  const files: BackupFile[] = []
  const missing: Manifest['missing'][number][] = []
  for (const line of lines.slice(1, -1)) {
    const gone = Missing.safeParse(line)
    const file = File.safeParse(line)
    if (gone.success) missing.push(gone.data.missing)
    else if (file.success) files.push(file.data)
    else throw incomplete(folder)
  }
  if (files.length !== end.data.files) throw incomplete(folder)
  const { at, version } = head.data
  return { at, version, files, missing }
}

function incomplete(folder: string): UsageError {
  return new UsageError(`The backup in ${folder} is not complete: make another one`)
}

/** Size and SHA-256 of a file. */
interface FileDigest {
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
