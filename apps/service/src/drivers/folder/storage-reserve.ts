import { randomFillSync } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageFull, StorageFullError } from '../../domain/storage-full.ts'
import type { StorageReserve } from '../../ports/storage-reserve.ts'

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

/** Opens the reserve of a data folder: a file `reserve`, which `refill` makes. A backup may leave it out. */
export async function openStorageReserve(
  folder: string,
  { bytes }: StorageReserveOptions = {},
): Promise<StorageReserve> {
  return new FileReserve(join(folder, 'reserve'), bytes ?? (await sizeFor(folder)))
}

async function sizeFor(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.floor(blocks * bsize * PART_OF_DISK)))
}

class FileReserve implements StorageReserve {
  readonly #path: string
  readonly #bytes: number
  #filling: Promise<void> | undefined
  /** Number of actions that run on the space of the released reserve. */
  #users = 0
  whole = false

  constructor(path: string, bytes: number) {
    this.#path = path
    this.#bytes = bytes
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isStorageFull(error)) throw error
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
    await rm(this.#path, { force: true })
  }

  async #fill(): Promise<void> {
    const { size: filled } = await stat(this.#path).catch(() => ({ size: 0 }))
    if (filled < this.#bytes) {
      try {
        await extend(this.#path, filled, this.#bytes)
      } catch (error) {
        if (!isStorageFull(error)) throw error
        this.whole = false
        return
      }
    }
    this.whole = true
  }
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
