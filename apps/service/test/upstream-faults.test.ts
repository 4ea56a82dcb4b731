import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  respondJson,
  RATE,
  type ReceivedRequest,
  type ScriptedUpstream,
  startUpstream,
  streamedWav,
  toneOf,
  upstreamEngines,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

/** A service whose only voice is that of a scripted server. */
let folder: string
let upstream: ScriptedUpstream
let service: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-faults-'))
  upstream = await startUpstream()
  const enginesFile = join(folder, 'engines.yaml')
  await writeFile(enginesFile, upstreamEngines(upstream, { voices: { bella: 'af_bella' }, keys: ['retries: 0'] }))
  service = await startTestService({ enginesFile })
})
beforeEach(async () => {
  upstream.script = () => undefined
  await vi.waitUntil(works, { timeout: 60_000, interval: 100 })
  upstream.forget()
})
afterAll(async () => {
  await service.close()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

/** Whether every engine works. */
async function works(): Promise<boolean> {
  const ready = (await (await fetch(`${service.url}/readyz`)).json()) as { readonly engines?: readonly string[] }
  return ready.engines === undefined
}

const TEXT = 'Paid for once.'
const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'bella', response_format: 'wav' } as const

/** Requests for the text. Probes of the engine speak another one. */
const requests = (): ReceivedRequest[] => upstream.received.filter(({ fields }) => fields['input'] === TEXT)

type Fault = (response: ServerResponse) => unknown

/** Answers the first requests for the text with a fault, and all others as usual. */
function failFirst(count: number, fault: Fault): void {
  upstream.script = ({ fields }, response) => {
    if (fields['input'] !== TEXT || requests().length > count) return undefined
    fault(response)
    return true
  }
}

const audio =
  (type: string, bytes: Buffer): Fault =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(bytes)
const cut: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'audio/wav' })
  response.write(streamedWav(toneOf('one two three')), () => response.destroy())
}
const endless: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'audio/wav' })
  response.write(streamedWav(Buffer.alloc(0)))
  const more = (): void => {
    if (!response.destroyed) response.write(Buffer.alloc(20 * RATE), () => setImmediate(more))
  }
  more()
}
const refusal =
  (status: number, headers: object = { 'retry-after': '1' }): Fault =>
  (response) =>
    respondJson(response, status, { error: { message: 'no' } }, headers)

const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ['that refuses for a moment', refusal(429)],
  ['that loads its model', refusal(503)],
  ['that refuses the key for a while', refusal(401)],
  ['whose account is empty for a while', refusal(402)],
  ['that breaks the connection', (response) => response.destroy()],
  ['that is cut in mid-audio', cut],
  ['that answers a page with 200', audio('text/html', Buffer.from('<html>Login</html>'))],
  ['that answers another type', audio('audio/mpeg', Buffer.from('ID3\u0004 and more than twelve bytes'))],
  ['that speaks at another rate', audio('audio/wav', streamedWav(toneOf('one'), 22_050))],
  ['that answers 500', refusal(500, {})],
  ['behind a gateway that answers 502', refusal(502, {})],
  ['behind a gateway that answers 504', refusal(504, {})],
  [
    'that tells another rate in a header',
    (response) => response.writeHead(200, { 'content-type': 'audio/pcm', 'x-sample-rate': '22050' }).end(toneOf('one')),
  ],
  ['that never ends', endless],
]

describe('a task with a server', () => {
  test.each(FAULTS)('%s waits, and is complete with one response', async (_what, fault) => {
    failFirst(1, fault)
    const task = await service.audio.speech.createTask(body)
    const result = await task.wait()
    const wav = await (await service.audio.download(result)).bytes()
    expect(wav.length).toBe(44 + toneOf(TEXT).length)
    // The fault had no whole response, and the whole response was asked for once.
    expect(requests()).toHaveLength(2)
  })
})

describe('a request to a server', () => {
  test.each(FAULTS)('%s is an error and no part of the audio', async (_what, fault) => {
    failFirst(1, fault)
    const response = await service.request('POST', '/v1/audio/speech', body)
    const arrived = response.arrayBuffer().then(
      () => 'whole',
      () => 'cut',
    )
    // A response that has begun is cut: a client never takes it for a whole one.
    expect(response.ok ? await arrived : (await arrived) && response.status).toSatisfy(
      (end: unknown) => end === 'cut' || (typeof end === 'number' && end >= 500),
    )
    expect(requests()).toHaveLength(1)
  })
})

test('a server that is gone keeps its tasks in the queue until it is back', async () => {
  const port = Number(new URL(upstream.baseUrl).port)
  await upstream.close()
  const task = await service.audio.speech.createTask(body)
  const refused = await service.request('POST', '/v1/audio/speech', body)
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'engine_unavailable' })
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  upstream = await startUpstream(port)
  expect(await task.wait()).toMatchObject({ status: 'SUCCESS' })
  expect(requests()).toHaveLength(1)
})

test('an abort of the client ends the request to the server', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  failFirst(1, (response) => {
    response.on('close', () => ended.resolve())
    begun.resolve()
  })
  const client = new AbortController()
  const call = service.audio.speech.create(body, { signal: client.signal })
  await begun.promise
  client.abort()
  await expect(call).rejects.toThrow('aborted')
  await ended.promise
})
