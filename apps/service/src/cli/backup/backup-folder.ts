import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, link, mkdir, opendir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { makeFolder, secretKeyPath, syncFolder } from '../../drivers/folder/folders.ts'
import { OBJECT_NAME } from '../../ports/object-store.ts'
import type { StorageArea } from '../../ports/storage-ledger.ts'
import type { ServiceOptions } from '../../service-options.ts'
import { AREA_FOLDERS, databasePath } from '../../storage.ts'
import { withAudit } from '../audited.ts'
import { UsageError } from '../errors.ts'
import { programVersion } from '../program.ts'
import { AREAS } from '../with-stores.ts'
import { type BackupFile, copyFileDurably, digestOf, writeManifest } from './manifest.ts'

/** Options of {@link backupFolder}. */
export interface BackupOptions {
  /** Whether the backup has no `secret.key`. @default false */
  readonly withoutSecretKey?: boolean
}

/**
 * Copies everything of a folder into another one, also while a service serves the folder. The copy has the state of one
 * moment. Every file is read again after it was written.
 * @param target A new or empty folder.
 * @returns Counts, as text to print.
 * @throws UsageError for a cluster, and when the target is not empty or lies in the folder
 */
export async function backupFolder(
  options: ServiceOptions,
  target: string,
  { withoutSecretKey = false }: BackupOptions = {},
): Promise<string> {
  const { dataDir } = options
  refuseCluster(options)
  const folder = resolve(target)
  if (!relative(resolve(dataDir), folder).startsWith('..')) {
    throw new UsageError(`${folder} lies in the folder to copy: choose another one, best on another disk`)
  }
  await requireEmpty(folder)
  return withAudit(options, { action: 'backup' }, async () => {
    await makeFolder(folder)
    return withSnapshot(dataDir, async (snapshot) => {
      const at = Date.now()
      const files = [await copyDatabase(snapshot, folder), ...(await copyObjects(snapshot, folder))]
      if (!withoutSecretKey && existsSync(secretKeyPath(dataDir))) {
        files.push({
          path: 'secret.key',
          ...(await copyFileDurably(secretKeyPath(dataDir), join(folder, 'secret.key'))),
        })
      }
      const missing = snapshot.missing.map(({ area, name }) => ({ area, name }))
      await writeManifest(folder, { at, version: programVersion(), files, missing })
      await syncFolder(folder)
      await syncFolder(dirname(folder))
      return report(files, snapshot, folder)
    })
  })
}

/** @throws UsageError with the page that says how a cluster is backed up */
export function refuseCluster({ databaseUrl }: Pick<ServiceOptions, 'databaseUrl'>): void {
  if (databaseUrl === undefined) return
  throw new UsageError(
    'backup and restore work on a folder: unset DATABASE_URL. docs/cluster.md says how a cluster is backed up',
  )
}

/** @throws UsageError when a folder exists and has files */
export async function requireEmpty(folder: string): Promise<void> {
  try {
    // A new disk has this folder.
    const names = (await readdir(folder)).filter((name) => name !== 'lost+found')
    if (names.length > 0) throw new UsageError(`${folder} is not empty: choose a new or an empty folder`)
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') throw new UsageError(`${folder} is no folder: choose another one`)
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

async function copyDatabase({ database }: Snapshot, folder: string): Promise<BackupFile> {
  const path = join(folder, 'service.sqlite')
  await backup(database, path, { rate: 4096 })
  const copy = new DatabaseSync(path)
  try {
    // The copy is one file.
    copy.exec('PRAGMA journal_mode = DELETE')
    checkDatabase(copy, path)
  } finally {
    copy.close()
  }
  return { path: 'service.sqlite', ...(await digestOf(path)) }
}

/** @throws Error when a database is damaged */
export function checkDatabase(database: DatabaseSync, path: string): void {
  const found = database.prepare('PRAGMA integrity_check').all()
  const broken = database.prepare('PRAGMA foreign_key_check').all()
  if (found[0]?.['integrity_check'] === 'ok' && broken.length === 0) return
  throw new UsageError(`The database ${path} is damaged: make another backup`)
}

async function copyObjects({ objects, pathOf }: Snapshot, folder: string): Promise<BackupFile[]> {
  const files: BackupFile[] = []
  for (const area of AREAS) await mkdir(join(folder, AREA_FOLDERS[area]), { mode: 0o700 })
  for (const object of objects) {
    const path = `${AREA_FOLDERS[object.area]}/${object.name}`
    files.push({ path, ...(await copyFileDurably(pathOf(object), join(folder, path))) })
  }
  for (const area of AREAS) await syncFolder(join(folder, AREA_FOLDERS[area]))
  return files
}

function report(files: readonly BackupFile[], { objects, missing, waited }: Snapshot, folder: string): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const lines = [
    `The backup in ${folder} is complete: ${objects.length} objects, ${bytes} bytes, each file compared.`,
    `Writes of the service waited ${Math.ceil(waited)} ms.`,
  ]
  if (missing.length > 0) lines.push(`Missing in the folder: ${missing.length} objects, which manifest.jsonl names.`)
  if (!files.some(({ path }) => path === 'secret.key')) lines.push('It has no secret.key: a restore needs the key.')
  return `${lines.join('\n')}\n`
}

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
