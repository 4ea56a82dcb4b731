import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderInUseError } from '../../domain/errors.ts'
import { openDatabase } from './database.ts'
import { lockFolder } from './data-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a folder is locked once, until it is released', () => {
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(FolderInUseError)
  release()
  lockFolder(folder)()
})

test('other folders are free, and so is the database of this folder', async () => {
  const release = lockFolder(folder)
  const database = openDatabase(join(folder, 'service.sqlite'))
  expect(await database.selectFrom('tasks').selectAll().execute()).toEqual([])
  await database.destroy()
  release()
})

test('another process’s lock holds, and ends with the process in any case', async () => {
  const module = JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)
  const script = `import(${module}).then(({ lockFolder }) => { lockFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  expect(() => lockFolder(folder)).toThrow('is in use by another running service')
  child.kill('SIGKILL')
  await once(child, 'exit')
  lockFolder(folder)()
})

test('a folder without write access is not reported as in use', () => {
  expect(() => lockFolder(join(folder, 'missing'))).toThrow('unable to open')
})
