import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { respondJson, type ScriptedUpstream, startUpstream } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** A service whose only recognizer is a scripted server. Probes of it are answered as usual. */
let folder: string
let upstream: ScriptedUpstream
let service: TestService
let file: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-answers-'))
  upstream = await startUpstream()
  const enginesFile = join(folder, 'engines.yaml')
  const entry = `driver: openai\n    baseUrl: ${upstream.baseUrl}\n    retries: 0\n    recognition: { model: whisper-1 }`
  await writeFile(enginesFile, `engines:\n  far:\n    ${entry}\nbundled: [speech, diarization]\n`)
  service = await startTestService({ enginesFile, openaiApi: true })
  const samples = await fliteSpeech('The train to the coast leaves at seven, and so does the bus.')
  file = encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(samples.buffer)])
})
beforeEach(async () => {
  upstream.script = () => undefined
  const isUp = async (): Promise<boolean> =>
    ((await (await fetch(`${service.url}/readyz`)).json()) as { readonly engines?: unknown }).engines === undefined
  await vi.waitUntil(isUp, { timeout: 60_000, interval: 50 })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

/** Answers recordings of more than a second. A probe is a word. */
function answer(respond: (response: ServerResponse) => unknown): void {
  upstream.script = ({ samples }, response) => {
    if (samples.length < 16_000) return undefined
    respond(response)
    return true
  }
}

async function transcribe(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([file]), 'recording.wav')
  return fetch(service.url + path, { method: 'POST', headers: { authorization: `Bearer ${KEY}` }, body: form })
}

const ours = () => transcribe('/v1/audio/transcriptions', { model: 'svc-transcribe-1.0' })
const openais = (fields: Readonly<Record<string, string>> = {}) =>
  transcribe('/openai/v1/audio/transcriptions', { model: 'whisper-1', ...fields })

const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html></html>')
const json = (status: number, body: object) => (response: ServerResponse) => respondJson(response, status, body)

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null }
}

describe('an answer that is none of the server', () => {
  test.each([
    ['502 of a gateway', page(502)],
    ['504 of a gateway', page(504)],
    ['a page with 200', page(200)],
  ])('%s is 503 with Retry-After, and may be sent again', async (_what, respond) => {
    for (const send of [ours, openais]) {
      answer(respond)
      const response = await send()
      expect([response.status, ((await response.json()) as Failure).error.code]).toEqual([503, 'engine_unavailable'])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(response.headers.get('x-should-retry')).toBe(send === openais ? 'true' : null)
      upstream.script = () => undefined
      await vi.waitUntil(async () => (await ours()).ok, { timeout: 60_000, interval: 100 })
    }
  })
})

describe('a refusal of the server', () => {
  test.each([
    ['400', 400, /The engine far refused the request \(400\)/],
    ['413', 413, /The engine far refused the request \(413\): it is too large/],
  ])('with %s names the engine, and the engine stays up', async (_status, status, message) => {
    answer(json(status, { error: { message: 'secret words' } }))
    const response = await ours()
    const { error } = (await response.json()) as Failure
    expect([response.status, error.code]).toEqual([500, 'engine_refused'])
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('secret')
    expect((await openais()).headers.get('x-should-retry')).toBe('false')
    upstream.script = () => undefined
    expect((await ours()).status).toBe(200)
  })

  test('fails a task at once', async () => {
    answer(json(400, {}))
    const task = await service.audio.transcriptions.createTask({
      model: 'svc-transcribe-1.0',
      file: { data: file, name: 'recording.wav' },
    })
    await expect(task.wait({ pollInterval: 50 })).rejects.toMatchObject({ code: 'engine_refused' })
  })

  test('of the language is 400 with the field', async () => {
    answer(json(422, { detail: [{ loc: ['body', 'language'], msg: 'Input should be "af"' }] }))
    const response = await openais({ language: 'xx' })
    expect(response.status).toBe(400)
    expect(((await response.json()) as Failure).error).toMatchObject({
      code: 'unsupported_language',
      param: 'language',
    })
  })
})

test('words that are said three times stay', async () => {
  const text = 'No. No. No. I said no.'
  answer(json(200, { text }))
  expect(await (await ours()).json()).toEqual({ text })
})

test('times in nanoseconds are those of the recording', async () => {
  const segments = [
    { text: 'One.', start: 0, end: 900_000_000 },
    { text: 'Two.', start: 1_000_000_000, end: 1_900_000_000 },
  ]
  answer(json(200, { text: 'One. Two.', segments }))
  const body = (await (await openais({ response_format: 'verbose_json' })).json()) as {
    readonly segments: readonly { readonly start: number; readonly end: number }[]
  }
  expect(body.segments.map(({ start, end }) => Math.round(100 * (end - start)))).toEqual([90, 90])
  expect((body.segments[1]?.start ?? 0) - (body.segments[0]?.start ?? 0)).toBeCloseTo(1, 2)
})

test('times that are none of the recording are an error, and no cue at its end', async () => {
  answer(json(200, { text: 'One.', segments: [{ text: 'One.', start: 0, end: 9e15 }] }))
  expect((await openais({ response_format: 'srt' })).status).toBe(500)
})
