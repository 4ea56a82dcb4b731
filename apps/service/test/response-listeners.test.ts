import { afterAll, beforeAll, expect, test } from 'vitest'
import { GENERATION } from './support/requests.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const SPEECH = '/v1/audio/speech'
const speech = { model: 'svc-tts-1.5-flash', input: 'Yes.', voice_id: 'rms', response_format: 'wav' }

const warnings: string[] = []
const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`)

let service: TestService
beforeAll(async () => {
  process.on('warning', note)
  service = await startTestService()
})
afterAll(async () => {
  await service.close()
  process.off('warning', note)
})

test('responses of every kind add so few listeners that Node prints no warning', async () => {
  const spoken = await service.request('POST', SPEECH, speech, { 'idempotency-key': 'spoken' })
  const audio = await spoken.bytes()
  const upload = (fields: Readonly<Record<string, string>>): FormData => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'svc-transcribe-1.0', ...fields })) form.append(name, value)
    form.append('file', new Blob([audio]), 'a.wav')
    return form
  }
  const responses = [
    spoken.status,
    await read(SPEECH, { ...speech, response_format: 'mp3' }),
    await read(SPEECH, { ...speech, stream: true, response_format: 'pcm' }),
    await read(GENERATION.path, GENERATION.body),
    await read('/v1/audio/transcriptions', upload({})),
    await read('/v1/audio/transcriptions', upload({ model: 'svc-transcribe-diarize-pro', stream: 'true' })),
  ]
  expect(responses).toEqual([200, 200, 200, 200, 200, 200])
  expect(warnings.filter((warning) => warning.startsWith('MaxListeners'))).toEqual([])
})

async function read(path: string, body: object): Promise<number> {
  const response = await service.request('POST', path, body, { 'idempotency-key': crypto.randomUUID() })
  await response.bytes()
  return response.status
}
