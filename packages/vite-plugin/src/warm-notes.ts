import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Raise it with the layout of the notes. */
const NOTES_VERSION = 1
/** Age, in milliseconds, from which a file's times reveal each further change. */
const SETTLED_MS = 2000
/** Writes of the file after which an unused note is dropped. */
const KEPT_WRITES = 8

interface Note {
  readonly value: unknown
  usedAt: number
}

/**
 * Notes about unchanged files, so that a warm build does not read them. Notes hold file times of this machine, so the file
 * is in Vite's cache folder, not beside the audio. A lost file costs only time.
 */
export class WarmNotes {
  readonly #path: string
  readonly #version: string
  #notes: Map<string, Note> | undefined
  #write = 0
  #isChanged = false

  /**
   * @param path The file of the notes.
   * @param version Notes of another version are ignored.
   */
  constructor(path: string, version: string) {
    this.#path = path
    this.#version = `${NOTES_VERSION} ${version}`
  }

  /** A note, or `undefined`. The caller checks its content, as of any file. */
  get(name: string): unknown {
    const note = this.#read().get(name)
    if (note !== undefined) note.usedAt = this.#write
    return note?.value
  }

  /** Sets a note. JSON must be able to hold the value. */
  set(name: string, value: unknown): void {
    this.#read().set(name, { value, usedAt: this.#write })
    this.#isChanged = true
  }

  /** Writes new notes. An unwritable folder is no error. */
  save(): void {
    if (!this.#isChanged || this.#notes === undefined) return
    this.#isChanged = false
    const notes = [...this.#notes].flatMap(([name, { value, usedAt }]) =>
      usedAt > this.#write - KEPT_WRITES ? [[name, usedAt, value]] : [],
    )
    const temporary = `${this.#path}.${randomUUID()}.part`
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(temporary, JSON.stringify({ version: this.#version, write: this.#write, notes }))
      renameSync(temporary, this.#path)
    } catch {
      try {
        rmSync(temporary, { force: true })
      } catch {
        // `force` ignores a missing file only. Where nothing can be written, nothing can be removed.
      }
    }
  }

  #read(): Map<string, Note> {
    if (this.#notes !== undefined) return this.#notes
    this.#notes = new Map()
    const { version, write, notes } = parseObject(this.#path)
    if (version !== this.#version || typeof write !== 'number' || !Array.isArray(notes)) return this.#notes
    this.#write = write + 1
    const list: readonly unknown[] = notes
    for (const one of list) {
      if (!Array.isArray(one)) continue
      const [name, usedAt, value]: readonly unknown[] = one
      if (typeof name === 'string' && typeof usedAt === 'number') this.#notes.set(name, { value, usedAt })
    }
    return this.#notes
  }
}

/** Size, times and inode of a file; `undefined` for a missing file. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.ino}`
}

/** As {@link stampOf}, but `undefined` for a file that changed just now: its times might not reveal the next change. */
export function settledStampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || Date.now() - found.ctimeMs < SETTLED_MS) return undefined
  return `${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.ino}`
}

function parseObject(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
