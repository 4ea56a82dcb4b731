import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../domain/clock.ts'
import { isStorageFull } from '../../domain/error-code.ts'
import type { StorageHealth, StorageState } from '../../ports/disk.ts'
import { isFolder, isFull, makeFolder } from './folders.ts'

/** Lifetime of a result, in milliseconds: many monitors may ask. */
const FRESH_MS = 5000

/** Longest time of a check, in milliseconds. */
const PATIENCE_MS = 5000

/** Options of {@link createStorageHealth}. */
export interface StorageHealthOptions {
  readonly clock?: Clock
  /** Folders of stored data in the folder. A missing one is made again. @default none */
  readonly folders?: readonly string[]
  /** Called with a folder that was missing and is made again. */
  readonly onMade?: (folder: string) => void
  /** Writes and syncs. @default a file `probe` in the folder */
  readonly write?: () => Promise<void>
}

/** Watches the disk of a folder. */
export function createStorageHealth(folder: string, options: StorageHealthOptions = {}): StorageHealth {
  const {
    clock = systemClock,
    folders = [],
    onMade = () => {},
    write = () => writeProbe(join(folder, 'probe')),
  } = options
  let result: Promise<StorageState> | undefined
  const look = async (): Promise<StorageState> => {
    try {
      if (await isFull(folder)) return 'full'
      await write()
      for (const one of folders) {
        if (await isFolder(one)) continue
        await makeFolder(one)
        onMade(one)
      }
      return 'ok'
    } catch (error) {
      return isStorageFull(error) ? 'full' : 'failing'
    }
  }
  return {
    check() {
      if (result !== undefined) return result
      const late = Promise.withResolvers<StorageState>()
      const cancel = clock.setTimer(PATIENCE_MS, () => late.resolve('failing'))
      const looking = look()
      result = Promise.race([looking, late.promise])
      const forget = (): void => {
        cancel()
        clock.setTimer(FRESH_MS, () => (result = undefined))
      }
      // A check that hangs is not repeated before it ends: each one occupies a thread of the file system.
      void looking.then(forget)
      return result
    },
  }
}

async function writeProbe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.write('ok')
    await file.sync()
  } finally {
    await file.close()
  }
}
