import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningService, startService } from '../src/index.ts'
import stored from './fixtures/data-folder-2026-11.json' with { type: 'json' }

// The fixture is the data folder of an earlier version with one running and six queued tasks: the database as SQL, the
// files as Base64, and its client's data. A version that cannot open it loses its users' tasks.
const { facts, contents, files, database } = stored
const YEARS = 1e6

let dataDir: string
let service: RunningService
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const sqlite = new DatabaseSync(join(dataDir, 'service.sqlite'))
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF')
  for (const statement of database) sqlite.exec(statement)
  // Idempotency keys expire after a day, and this folder is older.
  sqlite.exec(`UPDATE answers SET kept_ms = ${Date.now()}`)
  sqlite.close()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true })
    await writeFile(join(dataDir, path), Buffer.from(contents[content] ?? '', 'base64'))
  }
  service = await startService({
    dataDir,
    port: 0,
    logLevel: 'silent',
    inputLifetimeHours: YEARS,
    resultLifetimeHours: YEARS,
  })
})
afterAll(async () => {
  await service.close()
  await rm(dataDir, { recursive: true })
})

const headers = { authorization: `Bearer ${facts.key}` }
const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning, everybody.', voice_id: 'rms' }

async function get(path: string): Promise<Record<string, unknown>> {
  return (await (await fetch(service.url + path, { headers })).json()) as Record<string, unknown>
}

async function post(path: string, body: object, key: string): Promise<{ status: number; body: object }> {
  const form = body instanceof FormData
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': key, ...(form ? {} : { 'content-type': 'application/json' }) },
    body: form ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as object }
}

/** The task, after it has ended. */
async function ended(id: string): Promise<Record<string, unknown>> {
  let task: Record<string, unknown> = {}
  const isEnded = async (): Promise<boolean> => {
    task = await get(`/v1/audio/tasks/${id}`)
    return task['status'] === 'SUCCESS' || task['status'] === 'FAILED'
  }
  await expect.poll(isEnded, { timeout: 60_000 }).toBe(true)
  return task
}

describe('a data folder of an earlier version', { timeout: 120_000 }, () => {
  test('opens with its key, and the start creates none', () => {
    expect(service.newApiKey).toBeUndefined()
  })

  const { finished, finishedTranscription, ...waiting } = facts.ids
  test.each(Object.entries(waiting))('completes its queued task: %s', async (_name, id) => {
    expect(await ended(id)).toMatchObject({ id, status: 'SUCCESS' })
  })

  test('completes its queued tasks with the requested results', async () => {
    expect(await ended(waiting.speech)).toMatchObject({ response_format: 'opus', content_type: 'audio/ogg' })
    expect(await ended(waiting.generation)).toMatchObject({
      object: 'audio.voice_generation',
      model_id: 'svc-voice-generator-1.0',
      response_format: 'wav',
    })
    expect(await ended(waiting.upload)).toMatchObject({
      text: 'good morning everybody',
      segments: [{ speaker: 'S01' }],
    })
    expect(await ended(waiting.storedFile)).toMatchObject({ text: 'good morning everybody' })
    expect(await ended(waiting.ownVoice)).toHaveProperty('webhook')
  })

  test('shows its ended tasks with playable results', async () => {
    const { url } = await get(`/v1/audio/tasks/${finished}`)
    const audio = await fetch(String(url))
    expect([audio.status, audio.headers.get('content-type')]).toEqual([200, 'audio/ogg'])
    expect(await get(`/v1/audio/tasks/${finishedTranscription}`)).toMatchObject({ text: 'good morning everybody' })
  })

  test('lists its files and voices', async () => {
    expect(await get('/v1/files')).toMatchObject({ data: [facts.file] })
    expect((await get('/v1/audio/voices'))['data']).toContainEqual(facts.voice)
  })

  test('replays its idempotency keys: task, URL, file and deleted file', async () => {
    const task = { ...SPEECH, async: true, response_format: 'opus', aigc_metadata: { enabled: true } }
    expect((await post('/v1/audio/speech', task, 'finished-task')).body).toMatchObject({ id: finished })
    const url = { ...SPEECH, delivery_method: 'url', response_format: 'opus' }
    expect((await post('/v1/audio/speech', url, 'url-answer')).body).toMatchObject({ id: facts.url.id })
    for (const [key, file] of [
      ['kept-file', facts.file],
      ['deleted-file', facts.deleted],
    ] as const) {
      const form = new FormData()
      const audio = Buffer.from(contents[files[`files/${facts.file.id}` as keyof typeof files]] ?? '', 'base64')
      form.set('file', new Blob([audio]), 'a.ogg')
      form.set('purpose', 'audio')
      expect(await post('/v1/files', form, key)).toEqual({ status: 200, body: file })
    }
    expect(await post('/v1/audio/speech', SPEECH, 'finished-task')).toMatchObject({ status: 409 })
  })
})
