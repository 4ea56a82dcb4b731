import { mkdtempSync, rmSync } from 'node:fs'
import { appendFile, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startService } from '../src/index.ts'
import { Program } from './support/program.ts'
import { mountSmallDisk, unmountSmallDisk } from './support/small-disk.ts'
import { errorOf, KEY } from './support/test-service.ts'

const disk = mkdtempSync(join(tmpdir(), 'svc-audio-disk-'))

const mounted = mountSmallDisk(disk, 'size=48m')
afterAll(() => {
  if (mounted) unmountSmallDisk(disk)
  rmSync(disk, { recursive: true })
})

const MIB = 1024 * 1024
const headers = { authorization: `Bearer ${KEY}` }

/** Writes a file until the disk is full to the byte. */
async function fillDisk(): Promise<void> {
  const file = await open(join(disk, 'filler'), 'a')
  try {
    for (const block of [Buffer.alloc(MIB), Buffer.alloc(4096), Buffer.alloc(1)]) {
      for (;;) await file.writeFile(block).catch(() => Promise.reject(new Error('full')))
    }
  } catch {
    // the disk is full, as intended
  } finally {
    await file.close()
  }
  for (let full = false; !full;) {
    full = await appendFile(join(disk, 'filler'), Buffer.alloc(4096)).then(
      () => false,
      () => true,
    )
  }
}

describe.runIf(mounted)('a data folder on a full disk', { timeout: 60_000 }, () => {
  let program: Program
  let url: string
  const start = async (): Promise<void> => {
    const environment = { SVC_AUDIO_API_KEYS: `tenant:${KEY}` }
    program = new Program(disk, ['--port', '0', '--data-dir', 'data'], environment)
    url = await program.ready()
  }
  beforeAll(start)
  afterEach(() => rm(join(disk, 'filler'), { force: true }))
  afterAll(() => program.stop())

  const upload = async (bytes: number): Promise<Response> => {
    const form = new FormData()
    form.set('file', new Blob([Buffer.alloc(bytes)]), 'a.wav')
    return fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })
  }
  const uploaded = async (bytes: number): Promise<string> => {
    const response = await upload(bytes)
    expect(response.status).toBe(200)
    return ((await response.json()) as { id: string }).id
  }
  const remove = (id: string) => fetch(`${url}/v1/files/${id}`, { method: 'DELETE', headers })

  test('still deletes, and accepts uploads again once space is free', async () => {
    const ids = [await uploaded(10), await uploaded(MIB), await uploaded(MIB)]
    await fillDisk()
    expect(await errorOf(await upload(2 * MIB))).toMatchObject({ status: 503, code: 'storage_full' })
    for (const id of ids) expect((await remove(id)).status).toBe(200)
    await rm(join(disk, 'filler'))
    expect((await remove(await uploaded(MIB))).status).toBe(200)
    expect((await stat(join(disk, 'data', 'reserve'))).size).toBeGreaterThan(MIB)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('starts again after %s, and deletes', async (signal) => {
    const ids = [await uploaded(10), await uploaded(10)]
    await fillDisk()
    program.child.kill(signal)
    await program.exit()
    await fillDisk()
    await start()
    for (const id of ids) expect((await remove(id)).status).toBe(200)
    const { data } = (await (await fetch(`${url}/v1/files`, { headers })).json()) as { data: object[] }
    expect(data).toEqual([])
  })

  test('can still be swept', async () => {
    await uploaded(10)
    await program.stop()
    await fillDisk()
    const dataDir = join(disk, 'data')
    const service = await startService({ dataDir, port: 0, logLevel: 'silent', uploadLifetimeHours: 1e-9 })
    await expect.poll(() => readdir(join(dataDir, 'files')), { timeout: 10_000 }).toEqual([])
    await service.close()
    await start()
  })
})
