import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorOf, startTestService, type TestService } from '../support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav' } as const
const SOON = { timeout: 15_000, interval: 250 }

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const remove = (folder: string): Promise<void> => rm(join(service.dataDir, folder), { recursive: true })

async function readiness(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.url}/readyz`)
  return { status: response.status, body: await response.json() }
}

async function upload(): Promise<Response> {
  const form = new FormData()
  form.set('file', new Blob(['RIFF']), 'a.wav')
  return service.request('POST', '/v1/files', form)
}

test('a folder that vanishes is made again by the next request, and nothing fails', async () => {
  const first = (await (await upload()).json()) as { id: string }
  for (const folder of ['results', 'files', 'inputs', 'uploads']) await remove(folder)
  expect((await service.request('POST', '/v1/audio/speech', { ...SPEECH, delivery_method: 'url' })).status).toBe(200)
  expect((await upload()).status).toBe(200)
  const task = await service.audio.speech.createTask(SPEECH)
  expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS' })
  expect((await service.request('DELETE', `/v1/files/${first.id}`)).status).toBe(200)
  expect(await readiness()).toMatchObject({ status: 200 })
})

test('a check of the readiness makes vanished folders again', async () => {
  for (const folder of ['results', 'files', 'inputs', 'uploads']) await remove(folder)
  await expect.poll(async () => (await readiness()).status, SOON).toBe(200)
  for (const folder of ['results', 'files', 'inputs', 'uploads'] as const)
    expect(await service.list(folder)).toEqual([])
})

describe('a results folder that cannot be made again', () => {
  beforeEach(async () => {
    await remove('results')
    await writeFile(join(service.dataDir, 'results'), 'a file in its place')
  })

  test('is 503 with Retry-After, not ready, and over when it can be made', async () => {
    const refused = await service.request('POST', '/v1/audio/speech', { ...SPEECH, delivery_method: 'url' })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await errorOf(refused)).toEqual({ status: 503, code: 'storage_unavailable', param: null })
    await expect.poll(readiness, SOON).toEqual({ status: 503, body: { status: 'disk_failing' } })
    await remove('results')
    await expect.poll(readiness, SOON).toMatchObject({ status: 200 })
    expect((await service.request('POST', '/v1/audio/speech', { ...SPEECH, delivery_method: 'url' })).status).toBe(200)
  })

  test('costs an accepted task no attempt: it waits, and succeeds', async () => {
    const task = await service.audio.speech.createTask(SPEECH)
    const waiting = task.wait({ pollInterval: 100 })
    await expect.poll(readiness, SOON).toMatchObject({ status: 503 })
    await remove('results')
    expect(await waiting).toMatchObject({ status: 'SUCCESS' })
  })
})
