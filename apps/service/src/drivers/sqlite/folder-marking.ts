import type { DatabaseSync } from 'node:sqlite'
import { wallClockNow } from '../../domain/clock.ts'
import { isStorageFull } from '../../domain/error-code.ts'
import { raiseDatabaseMark, writeFolderMark } from './folder-mark.ts'

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
