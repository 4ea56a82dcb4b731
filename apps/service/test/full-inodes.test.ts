import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startService } from '../src/index.ts'
import { Program } from './support/program.ts'
import { mountSmallDisk, unmountSmallDisk } from './support/small-disk.ts'
import { errorOf, KEY } from './support/test-service.ts'

const disk = mkdtempSync(join(tmpdir(), 'svc-audio-names-'))

const mounted = mountSmallDisk(disk, 'size=64m,nr_inodes=400')
afterAll(() => {
  if (mounted) unmountSmallDisk(disk)
  rmSync(disk, { recursive: true })
})

const headers = { authorization: `Bearer ${KEY}` }
const filler = join(disk, 'filler')

/** Makes files until the disk has no name for another one. */
async function useUpNames(): Promise<void> {
  await mkdir(filler, { recursive: true }).catch(() => undefined)
  for (let name = 0; ; name += 1) {
    try {
      await writeFile(join(filler, `${Date.now()}-${name}`), '')
    } catch {
      return
    }
  }
}

describe.runIf(mounted)('a data folder on a disk without names for new files', { timeout: 60_000 }, () => {
  let program: Program
  let url: string
  const start = async (): Promise<void> => {
    const environment = { SVC_AUDIO_API_KEYS: `tenant:${KEY}` }
    program = new Program(disk, ['--port', '0', '--data-dir', 'data'], environment)
    url = await program.ready()
  }
  beforeAll(start)
  afterEach(() => rm(filler, { recursive: true, force: true }))
  afterAll(() => program.stop())

  const upload = async (): Promise<Response> => {
    const form = new FormData()
    form.set('file', new Blob(['some bytes']), 'a.wav')
    return fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })
  }
  const stored = async (): Promise<{ id: string; created_at: number }> =>
    (await (await upload()).json()) as { id: string; created_at: number }
  const uploaded = async (): Promise<string> => (await stored()).id
  const remove = async (id: string): Promise<number> =>
    (await fetch(`${url}/v1/files/${id}`, { method: 'DELETE', headers })).status

  test('refuses uploads, deletes, says so in /readyz, and accepts uploads again afterwards', async () => {
    const id = await uploaded()
    await useUpNames()
    expect(await errorOf(await upload())).toMatchObject({ status: 503, code: 'storage_full' })
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).json(), { timeout: 20_000, interval: 500 })
      .toEqual({ status: 'disk_full' })
    expect(await remove(id)).toBe(200)
    await rm(filler, { recursive: true, force: true })
    expect(await remove(await uploaded())).toBe(200)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('starts again after %s, and deletes', async (signal) => {
    const ids = [await uploaded(), await uploaded()]
    await useUpNames()
    program.child.kill(signal)
    await program.exit()
    await useUpNames()
    await start()
    for (const id of ids) expect(await remove(id)).toBe(200)
  })

  test.each(['first', 'second'])('can still be swept a %s time', async () => {
    const dataDir = join(disk, 'data')
    const { created_at: createdAt } = await stored()
    await program.stop()
    try {
      await useUpNames()
      // A file is dated in whole seconds: it expires in the second after its upload.
      while (Date.now() / 1000 < createdAt + 1) await sleep(50)
      const service = await startService({ dataDir, port: 0, logLevel: 'silent', uploadLifetimeHours: 1e-9 })
      try {
        await expect.poll(() => readdir(join(dataDir, 'files')), { timeout: 10_000 }).toEqual([])
      } finally {
        await service.close()
      }
    } finally {
      await rm(filler, { recursive: true, force: true })
      await start()
    }
  })
})
