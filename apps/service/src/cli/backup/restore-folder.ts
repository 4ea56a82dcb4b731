import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, makePrivate, syncFolder } from '../../drivers/folder/folders.ts'
import { createAuditStore } from '../../drivers/sql/audit-store.ts'
import { checkFolderContents } from '../../drivers/sqlite/data-folder.ts'
import { checkSchema, openDatabase } from '../../drivers/sqlite/database.ts'
import { readDatabaseMark, writeFolderMark } from '../../drivers/sqlite/folder-mark.ts'
import { AREA_FOLDERS, databasePath, folderContents } from '../../storage.ts'
import type { ServiceOptions } from '../../service-options.ts'
import { operatorRecord } from '../audited.ts'
import { UsageError } from '../errors.ts'
import { AREAS } from '../with-stores.ts'
import { checkDatabase, objectsNamedBy, refuseCluster, requireEmpty } from './backup-folder.ts'
import { type BackupFile, copyFileDurably, digestOf, type Manifest, readManifest } from './manifest.ts'

/**
 * Copies a backup into a new or empty data folder, and compares every file with what the backup says. A failure leaves
 * the folder as it was.
 * @returns Counts, as text to print.
 * @throws UsageError for a cluster, when the folder is not empty, and when the backup is damaged or not complete;
 * SchemaError
 */
export async function restoreFolder(options: ServiceOptions, source: string): Promise<string> {
  const { dataDir } = options
  refuseCluster(options)
  await requireEmpty(dataDir)
  const folder = resolve(source)
  const manifest = await readManifest(folder)
  requireSchema(folder)
  await makeFolder(dataDir)
  await makePrivate(dataDir)
  const before = new Set(await readdir(dataDir))
  try {
    await copyAll(folder, dataDir, manifest)
    await noteRestore(dataDir)
  } catch (error) {
    for (const name of await readdir(dataDir)) {
      if (!before.has(name)) await rm(join(dataDir, name), { recursive: true, force: true })
    }
    throw error
  }
  return report(options, manifest)
}

/**
 * Compares every file of a backup with what the backup says, and its database with its objects.
 * @returns Counts, as text to print.
 * @throws UsageError when it is damaged or not complete
 */
export async function verifyBackup(source: string): Promise<string> {
  const folder = resolve(source)
  const manifest = await readManifest(folder)
  for (const file of manifest.files) await compare(join(folder, file.path), file)
  const database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true })
  try {
    checkDatabase(database, join(folder, 'service.sqlite'))
    const known = new Set([...manifest.files.map(({ path }) => path), ...manifest.missing.map(pathOf)])
    const absent = objectsNamedBy(database).find((object) => object.needed && !known.has(pathOf(object)))
    if (absent !== undefined) throw new UsageError(`The backup lacks ${pathOf(absent)}: make another one`)
  } finally {
    database.close()
  }
  return `The backup of ${new Date(manifest.at).toISOString()} is sound: ${manifest.files.length} files.\n`
}

function pathOf({ area, name }: Manifest['missing'][number]): string {
  return `${AREA_FOLDERS[area]}/${name}`
}

async function compare(path: string, { bytes, sha256 }: BackupFile): Promise<void> {
  const found = await digestOf(path).catch(() => undefined)
  if (found?.bytes === bytes && found.sha256 === sha256) return
  throw new UsageError(`${path} ${found === undefined ? 'is missing' : 'has changed'}: restore another backup`)
}

function requireSchema(folder: string): void {
  const path = join(folder, 'service.sqlite')
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    checkSchema(database, path)
  } finally {
    database.close()
  }
}

const isDatabase = ({ path }: BackupFile): boolean => path === 'service.sqlite'

/** The database comes last: a start on a folder that a crash left half restored is refused. */
async function copyAll(folder: string, dataDir: string, { files }: Manifest): Promise<void> {
  for (const area of AREAS) await mkdir(join(dataDir, AREA_FOLDERS[area]), { mode: 0o700 })
  for (const file of files.filter((one) => !isDatabase(one))) await copyChecked(folder, file, join(dataDir, file.path))
  for (const area of AREAS) await syncFolder(join(dataDir, AREA_FOLDERS[area]))
  const database = files.find(isDatabase)
  if (database === undefined) throw new UsageError(`The backup in ${folder} is not complete: make another one`)
  const part = join(dataDir, 'service.sqlite.part')
  await copyChecked(folder, database, part)
  await rename(part, databasePath(dataDir))
  await syncFolder(dataDir)
}

async function copyChecked(folder: string, file: BackupFile, to: string): Promise<void> {
  const from = join(folder, file.path)
  const { sha256 } = await copyFileDurably(from, to).catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT'
      ? new UsageError(`${from} is missing: restore another backup`, { cause: error })
      : error
  })
  if (sha256 !== file.sha256) throw new UsageError(`${from} has changed: restore another backup`)
}

/** Writes the folder's mark, and a record into its audit log. */
async function noteRestore(dataDir: string): Promise<void> {
  const database = openDatabase(databasePath(dataDir))
  try {
    checkDatabaseOf(dataDir)
    await createAuditStore(database).append([operatorRecord('restore', 'done')])
  } finally {
    await database.destroy()
  }
}

function checkDatabaseOf(dataDir: string): void {
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true })
  try {
    checkDatabase(database, databasePath(dataDir))
    const mark = readDatabaseMark(database)
    if (mark !== undefined) writeFolderMark(dataDir, mark)
  } finally {
    database.close()
  }
}

/** Says what the next start would refuse. */
function report(options: ServiceOptions, { at, files, missing }: Manifest): string {
  const lines = [
    `${options.dataDir} has the state of ${new Date(at).toISOString()}: ${files.length} files, each compared.`,
  ]
  if (missing.length > 0) lines.push(`${missing.length} objects were missing when the backup was made.`)
  try {
    checkFolderContents(folderContents(options))
    lines.push('Start the service with this folder as --data-dir.')
  } catch (error) {
    lines.push(error instanceof Error ? error.message : String(error))
  }
  return `${lines.join('\n')}\n`
}
