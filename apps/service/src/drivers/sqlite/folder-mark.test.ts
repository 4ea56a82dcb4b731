import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openWriter } from './database.ts'
import { FolderMarking, readDatabaseMark, readFolderMark } from './folder-mark.ts'

let folder: string
let database: DatabaseSync
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-mark-'))
  database = openWriter(join(folder, 'service.sqlite'))
  vi.useFakeTimers()
})
afterEach(async () => {
  vi.useRealTimers()
  if (database.isOpen) database.close()
  await rm(folder, { recursive: true })
})

const now = async <T>(work: () => Promise<T>): Promise<T> => work()

test('a start raises the mark of database and folder alike, and retains the id', () => {
  for (const mark of [1, 2]) {
    const marking = new FolderMarking(database, folder)
    marking.start(now)
    marking.stop()
    expect(readDatabaseMark(database)).toMatchObject({ mark })
    expect(readFolderMark(folder)).toEqual(readDatabaseMark(database))
  }
})

test('a database that changes raises its mark every ten seconds and at its end; an idle one does not', async () => {
  const marking = new FolderMarking(database, folder)
  marking.start(now)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(readFolderMark(folder)).toMatchObject({ mark: 1 })
  marking.noteCommit()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(readFolderMark(folder)).toMatchObject({ mark: 2 })
  marking.noteCommit()
  marking.stop()
  expect(readFolderMark(folder)).toMatchObject({ mark: 3 })
  expect(readDatabaseMark(database)).toMatchObject({ mark: 3 })
})

test('the folder never has a mark that the database lacks: a failed commit raises neither', async () => {
  const marking = new FolderMarking(database, folder)
  marking.start(() => Promise.reject(new Error('The disk failed')))
  marking.noteCommit()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(readFolderMark(folder)).toMatchObject({ mark: 1 })
  marking.stop()
})

test('a damaged mark of a folder says nothing', async () => {
  await writeFile(join(folder, 'mark.json'), '{"id":')
  expect(readFolderMark(folder)).toBeUndefined()
})
