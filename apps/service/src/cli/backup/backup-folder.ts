import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { makeFolder, secretKeyPath, syncFolder } from '../../drivers/folder/folders.ts'
import { AREA_FOLDERS } from '../../storage.ts'
import type { ServiceOptions } from '../../service-options.ts'
import { withAudit } from '../audited.ts'
import { programVersion } from '../version.ts'
import { UsageError } from '../usage-error.ts'
import { AREAS } from '../with-objects.ts'
import { copyFileDurably, digestOf } from './copy-file.ts'
import { type BackupFile, writeManifest } from './manifest.ts'
import { type Snapshot, withSnapshot } from './snapshot.ts'

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
