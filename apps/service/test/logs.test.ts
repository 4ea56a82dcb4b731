import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program } from './support/program.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const KEY = 'a-key-that-nobody-may-read'
const TEXT = 'The zebra whispers confidentially.'

test('the log at its most detailed level is JSON lines with request ids, without any key, text or signature', async () => {
  const environment = { SVC_AUDIO_API_KEYS: `tenant:${KEY}`, SVC_AUDIO_LOG_LEVEL: 'trace' }
  const program = new Program(folder, ['--port', '0', '--data-dir', 'data'], environment)
  const url = await program.ready()
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
  await (await fetch(`${url}/v1/models`, { headers: { ...headers, ...trace } })).text()
  const speech = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', delivery_method: 'url' }
  const made = await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify(speech) })
  const { url: link } = (await made.json()) as { url: string }
  await (await fetch(link)).arrayBuffer()
  const wrong = { ...speech, model: TEXT, speed: TEXT }
  await (await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify(wrong) })).text()
  await (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer wrong-${KEY}` } })).text()
  await (await fetch(`${url}/v1/audio/tasks/none?secret=${KEY}`, { headers })).text()
  const form = new FormData()
  form.set('model', 'svc-transcribe-diarize-pro')
  form.set('keyterms', TEXT)
  form.set('file', new Blob(['no audio']), `${TEXT}.wav`)
  const upload = { method: 'POST', headers: { authorization: headers.authorization }, body: form }
  await (await fetch(`${url}/v1/audio/transcriptions?secret=${KEY}`, upload)).text()
  await program.stop()
  const lines = program.stderr.trim().split('\n')
  const logged = lines.map((line) => JSON.parse(line) as { reqId?: string; req?: { url: string } })
  const requestId = made.headers.get('x-request-id') ?? ''
  expect(logged.filter(({ reqId }) => reqId === requestId).length).toBeGreaterThan(0)
  expect(logged.map(({ req }) => req?.url)).toContain(new URL(link).pathname)
  const completed = program.stderr.split('\n').filter((line) => line.includes('request completed'))
  expect(
    completed.some((line) =>
      /"tenant":"tenant","key":"[\da-f]{12}","trace":"4bf92f3577b34da6a3ce929d0e0e4736"/.test(line),
    ),
  ).toBe(true)
  const signature = new URL(link).searchParams.get('signature') ?? ''
  expect(signature).not.toBe('')
  for (const secret of [KEY, 'zebra', 'confidentially', signature]) expect(program.stderr).not.toContain(secret)
})
