import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { wallClockNow } from '../../domain/clock.ts'
import { errorCode, isStorageFull } from '../../domain/error-code.ts'

/**
 * How far a database has come. The database and a file of its folder both have it, the database always first: a database
 * with a lower mark than the file has lost rows.
 */
export interface FolderMark {
  /** The database, whatever its path. */
  readonly id: string
  readonly mark: number
  /** When the mark was made, in milliseconds since 1970. */
  readonly at: number
}

const MarkFile = z.object({ id: z.string().min(1), mark: z.number().int(), at: z.number() })

function pathOf(folder: string): string {
  return join(folder, 'mark.json')
}

/** Reads the mark of a folder. @returns `undefined` when the folder has none, or a damaged one */
export function readFolderMark(folder: string): FolderMark | undefined {
  let text: string
  try {
    text = readFileSync(pathOf(folder), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return MarkFile.parse(JSON.parse(text))
  } catch {
    // A damaged file says nothing. The next start writes it again.
    return undefined
  }
}

/** Stores the mark of a folder durably. */
export function writeFolderMark(folder: string, mark: FolderMark): void {
  const temporary = `${pathOf(folder)}.part`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, `${JSON.stringify(mark)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, pathOf(folder))
  const above = openSync(folder, 'r')
  try {
    fsyncSync(above)
  } finally {
    closeSync(above)
  }
}

/** Reads the mark of a database. @returns `undefined` for a database that no service has opened yet */
export function readDatabaseMark(database: DatabaseSync): FolderMark | undefined {
  const row = database.prepare('SELECT id, mark, at_ms FROM folder_mark').get()
  return row === undefined ? undefined : { id: String(row['id']), mark: Number(row['mark']), at: Number(row['at_ms']) }
}

/**
 * Raises the mark of a database. Call it in a transaction, and store the result in the folder when the transaction is on
 * the disk.
 * @param now Milliseconds since 1970.
 */
export function raiseDatabaseMark(database: DatabaseSync, now: number): FolderMark {
  const { id, mark } = readDatabaseMark(database) ?? { id: randomUUID(), mark: 0 }
  const next = { id, mark: mark + 1, at: Math.floor(now) }
  database
    .prepare('INSERT OR REPLACE INTO folder_mark (only, id, mark, at_ms) VALUES (1, ?, ?, ?)')
    .run(next.id, next.mark, next.at)
  return next
}

/** Time between two marks of a database that changes, in milliseconds. Rows of a shorter time may be lost unnoticed. */
const INTERVAL_MS = 10_000

/** Raises the mark of a database at its start and while it changes. An idle database costs nothing. */
export class FolderMarking {
  readonly #database: DatabaseSync
  readonly #folder: string
  #changed = false
  #timer: NodeJS.Timeout | undefined

  /** @param database The connection that writes. */
  constructor(database: DatabaseSync, folder: string) {
    this.#database = database
    this.#folder = folder
  }

  /** Notes that the database has changed. */
  noteCommit(): void {
    this.#changed = true
  }

  /**
   * Raises the mark now, and later in transactions of others.
   * @param run Runs work in a transaction, and resolves when it is on the disk.
   * @throws Errors of SQLite and of the folder
   */
  start(run: <T>(work: () => Promise<T>) => Promise<T>): void {
    this.#raiseIfRoom()
    const raiseLater = async (): Promise<void> => {
      if (!this.#changed) return
      const mark = await run(async () => raiseDatabaseMark(this.#database, wallClockNow()))
      // The mark's own commit is no change.
      this.#changed = false
      writeFolderMark(this.#folder, mark)
    }
    // Without room on the disk, the old mark stays and says less.
    this.#timer = setInterval(() => void raiseLater().catch(() => undefined), INTERVAL_MS)
    this.#timer.unref()
  }

  /** Raises the mark for the last time. Nothing else may write any more. */
  stop(): void {
    clearInterval(this.#timer)
    if (this.#changed) this.#raiseIfRoom()
  }

  /** Without room on the disk, the old mark stays and says less. */
  #raiseIfRoom(): void {
    try {
      this.#raise()
    } catch (error) {
      if (!isStorageFull(error)) throw error
    }
  }

  #raise(): void {
    this.#database.exec('BEGIN IMMEDIATE')
    let committed = false
    try {
      const mark = raiseDatabaseMark(this.#database, wallClockNow())
      this.#database.exec('COMMIT')
      committed = true
      writeFolderMark(this.#folder, mark)
    } finally {
      if (!committed && this.#database.isTransaction) this.#database.exec('ROLLBACK')
    }
  }
}
