import { randomFillSync } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, isStorageFull, StorageFullError } from '../../domain/error-code.ts'
import type { StorageReserve } from '../../ports/disk.ts'
import { isFull } from './folders.ts'

/** Largest reserve, in bytes: several checkpoints of SQLite's log (4 MB each). */
const MOST_BYTES = 16 * 1024 * 1024

/** On a small disk the reserve is this part of it, but at least {@link LEAST_BYTES}. */
const PART_OF_DISK = 1 / 20
const LEAST_BYTES = 1024 * 1024

/** The bytes of one write. They are random, because a compressing file system would give zeros no space. */
const BLOCK = randomFillSync(Buffer.alloc(256 * 1024))

/** Options of {@link openStorageReserve}. */
export interface StorageReserveOptions {
  /** Size of the reserve. @default 16 MiB, on a small disk a twentieth of it */
  readonly bytes?: number
}

/**
 * Empty files of the reserve. A disk can have space and no free inodes, and a start needs some: SQLite's log and
 * its index, the probe of the disk, a file to move.
 */
const NAMES = 8

/**
 * Opens the reserve of a data folder: a file `reserve` and a folder `reserved-names`, which `refill` makes. A backup may
 * leave them out.
 */
export async function openStorageReserve(
  folder: string,
  { bytes }: StorageReserveOptions = {},
): Promise<StorageReserve> {
  return new FileReserve(folder, bytes ?? (await sizeFor(folder)))
}

async function sizeFor(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.floor(blocks * bsize * PART_OF_DISK)))
}

class FileReserve implements StorageReserve {
  readonly #folder: string
  readonly #path: string
  readonly #names: string
  readonly #bytes: number
  #filling: Promise<void> | undefined
  /** Number of actions that run on the space of the released reserve. */
  #users = 0
  whole = false

  constructor(folder: string, bytes: number) {
    this.#folder = folder
    this.#path = join(folder, 'reserve')
    this.#names = join(folder, 'reserved-names')
    this.#bytes = bytes
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(await this.#isForWantOfRoom(error))) throw error
    }
    this.#users += 1
    try {
      await this.#release()
      return await work()
    } finally {
      this.#users -= 1
      await this.refill()
    }
  }

  async requireWhole(): Promise<void> {
    if (this.whole) return
    await this.refill()
    // The compiler does not see that a refill changes it.
    if (!(this.whole as boolean)) throw new StorageFullError()
  }

  refill(): Promise<void> {
    if (this.#users > 0) return Promise.resolve()
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #release(): Promise<void> {
    await this.#filling
    this.whole = false
    await Promise.all([this.#path, this.#names].map((path) => rm(path, { recursive: true, force: true })))
  }

  async #fill(): Promise<void> {
    try {
      const { size: filled } = await stat(this.#path).catch(() => ({ size: 0 }))
      if (filled < this.#bytes) await extend(this.#path, filled, this.#bytes)
      await holdNames(this.#names)
      this.whole = true
    } catch (error) {
      if (!isStorageFull(error)) throw error
      this.whole = false
    }
  }

  /** SQLite reports a file that it cannot make by a code with many reasons. */
  async #isForWantOfRoom(error: unknown): Promise<boolean> {
    return isStorageFull(error) || (errorCode(error) === 'SQLITE_CANTOPEN' && (await isFull(this.#folder)))
  }
}

/** Makes the missing files of a folder of names. */
async function holdNames(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length >= NAMES) return
  for (let name = 0; name < NAMES; name += 1) await writeFile(join(folder, String(name)), '', { mode: 0o600 })
}

/** Bytes written before the disk was full stay: they count toward the reserve. */
async function extend(path: string, from: number, to: number): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    for (let size = from; size < to;) {
      const { bytesWritten } = await file.write(BLOCK, 0, Math.min(BLOCK.byteLength, to - size))
      size += bytesWritten
    }
    // Some file systems allocate space, and notice a full disk, only now.
    await file.datasync()
  } finally {
    await file.close()
  }
}
