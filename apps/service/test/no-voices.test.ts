import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { scriptedEngine } from './support/scripted-engine.ts'
import { errorOf } from './support/test-service.ts'

let app: FakeApp
beforeEach(async () => {
  app = await startFakeApp({ speech: { ...scriptedEngine(), voices: [] } })
})
afterEach(() => app.close())

const input = 'Hello.'
const rows: [what: string, path: string, body: () => object][] = [
  [
    'a stream in the default voice',
    '/v1/audio/speech',
    () => ({ model: 'svc-tts-1.5-flash', input, response_format: 'pcm', stream: true }),
  ],
  [
    'a voice that is described',
    '/v1/audio/voice/generations',
    () => ({ model: 'svc-voice-generator-1.0', input, instruction: 'A deep voice' }),
  ],
  [
    'a voice of a sample',
    '/v1/audio/voices',
    () => {
      const form = new FormData()
      form.set('audio_sample', new Blob(['sound']), 'me.wav')
      return form
    },
  ],
]

test.each(rows)('%s without an installed voice is 503 with Retry-After', async (_what, path, body) => {
  const refused = await app.post(path, body())
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'engine_unavailable' })
})

test.each(rows.slice(1))('%s is 400 with its field where no engine changes voices', async (_what, path, body) => {
  const { voices, ...engine } = scriptedEngine()
  const plain = voices.map(({ id, name, language }) => ({ id, name, language }))
  const other = await startFakeApp({ speech: { ...engine, voices: plain } })
  try {
    const refused = await errorOf(await other.post(path, body()))
    const param = path === '/v1/audio/voices' ? 'audio_sample' : 'instruction'
    expect(refused).toEqual({ status: 400, code: 'unsupported_for_model', param })
  } finally {
    await other.close()
  }
})
