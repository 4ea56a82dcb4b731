import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cutPower } from './crash-once.ts'

const WATCH = new URL('watch-steps.ts', import.meta.url).href

let folder: string
let dataDir: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-power-')))
  dataDir = join(folder, 'data')
  await mkdir(join(folder, 'steps'))
  await mkdir(dataDir)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs a script in a watched process: `sync(path)` syncs a file or folder. */
async function run(script: string): Promise<void> {
  const source = `
    import { open, writeFile, rename, rm, mkdir } from 'node:fs/promises'
    const sync = async (path) => { const handle = await open(path); await handle.sync(); await handle.close() }
    ${script}`
  const options = { cwd: dataDir, env: { ...process.env, CRASH_STEPS: join(folder, 'steps') } }
  const args = ['--import', WATCH, '--input-type=module', '--eval', source]
  await promisify(execFile)(process.execPath, args, options)
}

/** The content of each remaining file after a power cut. */
async function afterPowerCut(): Promise<Record<string, string>> {
  await cutPower(dataDir, join(folder, 'steps'))
  const left: Record<string, string> = {}
  for (const name of await readdir(join(dataDir, 'files')).catch(() => [])) {
    left[name] = await readFile(join(dataDir, 'files', name), 'utf8')
  }
  return left
}

const MAKE = `await mkdir('files'); await sync('.');`

test('synced data and names stay', async () => {
  await run(`${MAKE} await writeFile('files/a', 'one'); await sync('files/a'); await sync('files')`)
  expect(await afterPowerCut()).toEqual({ a: 'one' })
  expect(await afterPowerCut()).toEqual({ a: 'one' })
})

test('unsynced data is lost, also data added later', async () => {
  await run(`${MAKE} await writeFile('files/a', 'one'); await sync('files')`)
  await run(
    `await writeFile('files/b', 'one'); await sync('files/b'); await sync('files'); await writeFile('files/b', 'two')`,
  )
  expect(await afterPowerCut()).toEqual({ a: '', b: 'one' })
})

test('an unsynced name is lost, also the new name of a renamed file', async () => {
  await run(`${MAKE} await writeFile('files/a', 'one'); await sync('files/a'); await sync('files')`)
  await run(`await writeFile('files/b', 'two'); await sync('files/b'); await rename('files/a', 'files/c')`)
  expect(await afterPowerCut()).toEqual({ a: 'one' })
})

test('a deleted file comes back, unless the deletion was synced', async () => {
  await run(`${MAKE} for (const name of ['files/a', 'files/b']) { await writeFile(name, 'one'); await sync(name) }`)
  await run(`await sync('files'); await rm('files/a'); await sync('files'); await rm('files/b')`)
  expect(await afterPowerCut()).toEqual({ b: 'one' })
})

test('a folder with an unsynced name is lost with its content', async () => {
  await run(`await mkdir('files'); await writeFile('files/a', 'one'); await sync('files/a'); await sync('files')`)
  expect(await afterPowerCut()).toEqual({})
})
