import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { makeFolder } from '../../drivers/folder/folders.ts'
import { AREA_FOLDERS, databasePath } from '../../storage.ts'
import { OBJECT_NAME } from '../../ports/object-store.ts'
import type { StorageArea } from '../../ports/storage-ledger.ts'
import { AREAS } from '../with-objects.ts'

/** An object of a folder. */
export interface NamedObject {
  readonly area: StorageArea
  readonly name: string
  /** Whether a file, a task or its result needs it. Others are only entered in the ledger, and may be gone. */
  readonly needed: boolean
}

/** Database and objects of one moment, while a service changes both. */
export interface Snapshot {
  /** A connection that reads the database of that moment. */
  readonly database: DatabaseSync
  /** The objects that the database names and that the folder has. */
  readonly objects: readonly NamedObject[]
  /** The needed objects that the folder does not have. */
  readonly missing: readonly NamedObject[]
  /** How long a running service could not write, in milliseconds. */
  readonly waited: number
  /** Path of an object's link. */
  readonly pathOf: (object: NamedObject) => string
}

/** Longest wait for a running service to end its transaction, in milliseconds. */
const TIMEOUT_MS = 30_000

/** Prefix of a folder of links. */
const PREFIX = 'backup-links-'

/** A folder of links that is older belongs to a backup that has died, in milliseconds. */
const DEAD_MS = 7 * 86_400_000

/**
 * Takes a snapshot of a folder for one action. An object never changes, and a link holds it also after its deletion. So
 * all objects are linked first; then, while the database is locked, only the links of the last moment are missing. A
 * service deletes an object only after it has deleted its row, which the lock forbids: every object that the database
 * names can be linked.
 */
export async function withSnapshot<T>(dataDir: string, use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  await removeDead(dataDir)
  const links = join(dataDir, `${PREFIX}${randomUUID()}`)
  const pathOf = ({ area, name }: NamedObject): string => join(links, AREA_FOLDERS[area], name)
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: TIMEOUT_MS })
  try {
    for (const area of AREAS) await linkAll(join(dataDir, AREA_FOLDERS[area]), join(links, AREA_FOLDERS[area]))
    const taken = await whileLocked(dataDir, async () => {
      database.exec('BEGIN')
      const named = objectsNamedBy(database)
      const missing: NamedObject[] = []
      for (const object of named) {
        if (await exists(pathOf(object))) continue
        const { area, name } = object
        if (!(await linkOne(join(dataDir, AREA_FOLDERS[area], name), pathOf(object)))) missing.push(object)
      }
      return { named, missing }
    })
    const gone = new Set(taken.value.missing)
    const objects = taken.value.named.filter((object) => !gone.has(object))
    const missing = taken.value.missing.filter(({ needed }) => needed)
    return await use({ database, objects, missing, waited: taken.milliseconds, pathOf })
  } finally {
    database.close()
    await rm(links, { recursive: true, force: true })
  }
}

/** Acts while nothing can write to the database. */
async function whileLocked<T>(
  dataDir: string,
  act: () => Promise<T>,
): Promise<{ readonly value: T; readonly milliseconds: number }> {
  const lock = new DatabaseSync(databasePath(dataDir), { timeout: TIMEOUT_MS })
  try {
    lock.exec('BEGIN IMMEDIATE')
    const started = performance.now()
    const value = await act()
    lock.exec('ROLLBACK')
    return { value, milliseconds: performance.now() - started }
  } finally {
    lock.close()
  }
}

/** Every object that a row names. The first use of the connection's transaction chooses its moment. */
export function objectsNamedBy(database: DatabaseSync): NamedObject[] {
  const rows = database
    .prepare(
      `SELECT area, name, max(needed) AS needed FROM (
         SELECT area, name, 0 AS needed FROM objects
         UNION ALL SELECT 'uploads', id, 1 FROM files
         UNION ALL SELECT 'inputs', input, 1 FROM jobs WHERE input IS NOT NULL
         UNION ALL SELECT 'results', json_extract(result, '$.file'), 1 FROM tasks WHERE result IS NOT NULL
       ) WHERE name IS NOT NULL GROUP BY area, name`,
    )
    .all()
  return rows.flatMap(({ area, name, needed }) => {
    const known = AREAS.find((one) => one === area)
    if (known === undefined || typeof name !== 'string' || !OBJECT_NAME.test(name)) return []
    return [{ area: known, name, needed: needed === 1 }]
  })
}

/** Links the objects of a folder. Some may be deleted in the meantime. */
async function linkAll(from: string, to: string): Promise<void> {
  await makeFolder(to)
  try {
    for await (const { name } of await opendir(from)) {
      if (OBJECT_NAME.test(name)) await linkOne(join(from, name), join(to, name))
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** @returns `false` when the object does not exist. */
async function linkOne(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    // Some file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error))) throw error
    try {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    } catch (late) {
      if (errorCode(late) === 'ENOENT') return false
      throw late
    }
  }
  return true
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function removeDead(dataDir: string): Promise<void> {
  for await (const { name } of await opendir(dataDir)) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(dataDir, name)
    const { mtimeMs } = await stat(path)
    if (mtimeMs < Date.now() - DEAD_MS) await rm(path, { recursive: true, force: true })
  }
}
