import { afterEach, expect, test } from 'vitest'
import type { SpeechEngine } from '@svc-audio/engine-ports'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'

/** An engine that yields these chunks, then breaks or ends. */
function engine(chunks: readonly string[], end: 'breaks' | 'ends'): SpeechEngine {
  async function* speak(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const chunk of chunks) yield Buffer.from(chunk)
    if (end === 'breaks') throw new Error('A secret path: /srv/voices')
  }
  return {
    name: 'breaking',
    voices: [{ id: 'v', name: 'V', language: 'en' }],
    synthesize: async () => ({ format: { sampleRate: 16_000, channels: 1, bitDepth: 16 }, chunks: speak() }),
    close: async () => undefined,
  }
}

let app: FakeApp
afterEach(() => app.close())

const body = { model: 'svc-tts-1.5-flash', input: 'Hello.', voice_id: 'v', response_format: 'pcm', stream: true }

async function events(): Promise<Record<string, unknown>[]> {
  const response = await app.post('/v1/audio/speech', { ...body, stream_format: 'sse' })
  expect(response.status).toBe(200)
  const frames = (await response.text()).trimEnd().split('\n\n')
  return frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Record<string, unknown>)
}

// rules: speech-events.failure, speech-events.error, errors.stream-fields
test('events that fail in the middle end with one error frame without details', async () => {
  app = await startFakeApp({ speech: engine(['abcd'], 'breaks') })
  const [task, , delta, ...rest] = await events()
  expect(delta).toMatchObject({ type: 'speech.audio.delta' })
  const error = { code: 'internal_error', message: expect.not.stringContaining('/srv') }
  expect(rest).toEqual([{ type: 'error', error }])
  const seen = await app.get(`/v1/audio/tasks/${String(task?.['task_id'])}`)
  expect(await seen.json()).toMatchObject({ status: 'FAILED', error: { code: 'internal_error' } })
  expect(await namesIn(app.services.objects.results)).toEqual([])
})

// rules: speech-events.pcm-failure
test('raw PCM that fails in the middle is cut off without further bytes', async () => {
  app = await startFakeApp({ speech: engine(['abcd', 'efgh'], 'breaks') })
  const response = await app.post('/v1/audio/speech', body)
  expect(response.status).toBe(200)
  const received: Uint8Array[] = []
  const reading = (async () => {
    for await (const chunk of response.body ?? []) received.push(chunk)
  })()
  await expect(reading).rejects.toThrow('terminated')
  expect('abcdefgh').toContain(Buffer.concat(received).toString())
})

// rules: errors.before-response, errors.json
test('a failure before the first byte of PCM is a normal error', async () => {
  app = await startFakeApp({ speech: engine([], 'breaks') })
  const response = await app.post('/v1/audio/speech', body)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ error: { code: 'internal_error' } })
})

// rules: speech-events.empty-delta
test('a chunk without audio is an empty delta, and adds no audio', async () => {
  app = await startFakeApp({ speech: engine(['', 'abcd', ''], 'ends') })
  const deltas = (await events()).filter(({ type }) => type === 'speech.audio.delta')
  expect(deltas.map(({ audio }) => Buffer.from(String(audio), 'base64').toString())).toEqual(['', 'abcd', ''])
  const raw = await app.post('/v1/audio/speech', body)
  expect(await raw.text()).toBe('abcd')
})
