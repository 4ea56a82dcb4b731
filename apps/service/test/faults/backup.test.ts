import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav', async: true }

let service: TestService
let copy: string
beforeAll(async () => {
  service = await startTestService()
  copy = await mkdtemp(join(tmpdir(), 'svc-audio-backup-'))
})
afterAll(async () => {
  await service.close()
  await rm(copy, { recursive: true })
})

async function accept(): Promise<string> {
  const response = await service.request('POST', '/v1/audio/speech', SPEECH)
  return ((await response.json()) as { task_id: string }).task_id
}

test('a copy under load, made as docs/operations.md says, opens with every task of before', async () => {
  const before = await Promise.all(Array.from({ length: 20 }, accept))
  const state = { copied: false }
  const load = (async () => {
    while (!state.copied) await accept()
  })()
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'))
  database.prepare('VACUUM INTO ?').run(join(copy, 'service.sqlite'))
  database.close()
  for (const name of ['secret.key', 'files', 'inputs', 'results']) {
    await cp(join(service.dataDir, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.part'),
    })
  }
  state.copied = true
  await load
  const copied = new DatabaseSync(join(copy, 'service.sqlite'))
  expect(copied.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  copied.close()
  const restored = await startTestService({ dataDir: copy })
  for (const id of before) {
    await expect
      .poll(async () => (await (await restored.request('GET', `/v1/audio/tasks/${id}`)).json()) as object, {
        timeout: 30_000,
      })
      .toMatchObject({ status: 'SUCCESS' })
    const task = (await (await restored.request('GET', `/v1/audio/tasks/${id}`)).json()) as { url: string }
    expect((await fetch(task.url)).status).toBe(200)
  }
  await restored.stop()
})
