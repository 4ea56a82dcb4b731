import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'

let app: FakeApp
beforeAll(async () => {
  app = await startFakeApp({
    replace: ({ engines: { codec } }) => ({
      engines: {
        codec: {
          ...codec,
          async *decode(_path, { onEnd } = {}) {
            yield Buffer.from('half')
            onEnd?.({ durationSeconds: 1, endsEarly: true })
          },
        },
      },
    }),
  })
})
afterAll(() => app.close())

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', new Blob(['sound']), 'a.m4a')
  return data
}

test.each([
  ['/v1/audio/transcriptions', { model: 'svc-transcribe-1.0' }],
  ['/v1/audio/transcriptions', { model: 'svc-transcribe-1.0', response_format: 'text' }],
  ['/openai/v1/audio/transcriptions', { model: 'whisper-1', response_format: 'srt' }],
])('%s %o says that the recording ended early', async (path, fields) => {
  const response = await app.post(path, form(fields))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-recording-ended-early')).toBe('true')
})
