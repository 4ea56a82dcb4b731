import { readdir } from 'node:fs/promises'
import OpenAI, { APIUserAbortError } from 'openai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'

let app: FakeApp
let client: OpenAI
let stop: AbortController
/** The signal of the engine, after the engine's first call. */
let work: AbortSignal | undefined
beforeEach(async () => {
  app = await startFakeApp()
  client = new OpenAI({
    apiKey: app.first.authorization.replace('Bearer ', ''),
    baseURL: `${app.url}/openai/v1`,
    maxRetries: 0,
  })
  stop = new AbortController()
  work = undefined
})
afterEach(() => app.close())

/** Waits until the signal aborts, then throws its reason, as an engine does. */
async function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

test.each(['audio', 'sse'] as const)('an aborted speech as %s stops the engine', async (stream_format) => {
  app.services.speakWith = (_text, signal) => {
    work = signal
    return untilAborted(signal)
  }
  const body = { model: 'tts-1', voice: 'alloy', input: 'Hello.', stream_format } as const
  const call = client.audio.speech.create(body, { signal: stop.signal })
  const failed = rejection(call)
  await expect.poll(() => work).toBeDefined()
  stop.abort()
  expect(await failed).toBeInstanceOf(APIUserAbortError)
  await vi.waitFor(() => expect(work?.aborted).toBe(true), 30_000)
})

test('an aborted transcription stops the engine, and its file is deleted', async () => {
  const { recognition } = app.services.engines
  vi.spyOn(recognition, 'recognize').mockImplementation(async (_pcm, { signal } = {}) => {
    work = signal
    return untilAborted(signal ?? stop.signal)
  })
  const file = new File(['heard'], 'a.wav')
  const call = client.audio.transcriptions.create({ model: 'whisper-1', file }, { signal: stop.signal })
  const failed = rejection(call)
  await expect.poll(() => work).toBeDefined()
  stop.abort()
  expect(await failed).toBeInstanceOf(APIUserAbortError)
  await vi.waitFor(() => expect(work?.aborted).toBe(true), 30_000)
  await expect.poll(() => readdir(app.services.objects.uploadFolder)).toEqual([])
})

test('an aborted stream of a transcription stops the engine, and its task has failed', async () => {
  const { recognition } = app.services.engines
  const { tasks } = app.services.stores
  const begin = vi.spyOn(tasks, 'begin')
  vi.spyOn(recognition, 'recognize').mockImplementation(async (pcm, { signal } = {}) => {
    work = signal
    for await (const piece of pcm) expect(piece.length).toBeGreaterThan(0)
    return untilAborted(signal ?? stop.signal)
  })
  const file = new File(['heard'], 'a.wav')
  const form = { model: 'whisper-1', file, stream: true } as const
  const call = client.audio.transcriptions.create(form, { signal: stop.signal })
  await expect.poll(() => work).toBeDefined()
  await call
  stop.abort()
  await vi.waitFor(() => expect(work?.aborted).toBe(true), 30_000)
  const id = begin.mock.calls[0]?.[0].id ?? ''
  const failed = { status: 'FAILED', error: { code: 'client_disconnected' } }
  await expect.poll(() => tasks.find('first', id)).toMatchObject(failed)
})
