import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestUpstream, status } from '@svc-audio/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AudioClient, ConfigurationError, ProtocolError, TaskFailedError } from '../src/index.ts'
import { signWebhook, unwrapWebhook, WebhookVerificationError } from '../src/webhooks/index.ts'
import { API_KEY, connect, rejection } from './support/clients.ts'
import { respondJson, readBody, startServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, sendEvents, SPEECH, STREAM } from './support/speech.ts'

const TASK = { model: 'svc-tts-1.0', input: 'Hello', voice_id: 'rms' } as const
const FILE = { model: 'svc-transcribe-1.0', file: new Uint8Array([1, 2, 3]) } as const

async function start(): Promise<{ upstream: Awaited<ReturnType<typeof createTestUpstream>>; audio: AudioClient }> {
  const upstream = await createTestUpstream()
  const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  onTestFinished(async () => {
    await audio.close()
    await upstream.close()
  })
  return { upstream, audio }
}

describe('asResponse()', () => {
  test('answers with the type, the length and the bytes of the audio, and with headers of the caller', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 4 }).end('ID3!')
    })
    const response = (await connect(server.url).speech.create(SPEECH)).asResponse({ 'cache-control': 'no-store' })
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'audio/mpeg',
      'content-length': '4',
    })
    expect(await response.text()).toBe('ID3!')
  })

  test('of a stream is a WAV, with a header of unknown length', async () => {
    const server = await startServer((_, response) => sendEvents(response, CREATED, delta(pcm(100)), DONE))
    const response = (await connect(server.url).speech.stream(STREAM)).asResponse()
    expect(response.headers.get('content-type')).toBe('audio/wav')
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('RIFF')
    expect(bytes.subarray(44)).toEqual(pcm(100))
  })

  test('that is cut fails the response, and one that is cancelled closes the connection', async () => {
    const responses: ServerResponse[] = []
    const closed = Promise.withResolvers<void>()
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, delta(pcm(100))))
      if (responses.push(response) === 2) response.once('close', closed.resolve)
    })
    const client = connect(server.url)
    const cut = rejection((await client.speech.stream(STREAM)).asResponse().arrayBuffer())
    responses[0]?.destroy()
    expect(await cut).toMatchObject({ name: 'StreamTruncatedError' })
    const response = (await client.speech.stream(STREAM)).asResponse()
    await response.body?.cancel()
    await closed.promise
  })
})

describe('createAndWait()', () => {
  test('returns a speech task with its url, which can be downloaded', async () => {
    const { audio } = await start()
    const updates: string[] = []
    const task = await audio.speech.createAndWait(TASK, {
      pollInterval: 1,
      onUpdate: ({ status: at }) => updates.push(at),
    })
    expect(task.status).toBe('SUCCESS')
    expect(updates.at(-1)).toBe('SUCCESS')
    const url: string = task.url
    expect(url).toMatch(/^http/)
    expect((await (await audio.download(task)).bytes()).length).toBeGreaterThan(0)
  })

  test('returns a transcription task with its text', async () => {
    const { audio } = await start()
    const { text }: { text: string } = await audio.transcriptions.createAndWait(FILE, { pollInterval: 1 })
    expect(text).not.toBe('')
  })

  test('throws the error of a failed task, and refuses a success without its result', async () => {
    const { audio, upstream } = await start()
    upstream.nextTask({ error: { code: 'no' } })
    expect(await rejection(audio.speech.createAndWait(TASK, { pollInterval: 1 }))).toBeInstanceOf(TaskFailedError)
    const ended = { id: 't', object: 'audio.transcription', status: 'SUCCESS', created_at: 1, updated_at: 1 }
    upstream.on('GET /v1/audio/tasks/{task_id}', status(200, { body: ended }))
    const error = await rejection(audio.transcriptions.createAndWait(FILE, { pollInterval: 1 }))
    expect(error).toBeInstanceOf(ProtocolError)
    expect((error as Error).message).toContain('ended in SUCCESS without `text`')
  })
})

describe('idempotent', () => {
  test('sends one key with every attempt of a call, and retries a call that may have started', async () => {
    const keys: unknown[] = []
    const server = await startServer(async (request, response) => {
      await readBody(request)
      keys.push(request.headers['idempotency-key'])
      if (keys.length === 1) response.destroy()
      else await respondJson(request, response, { id: 'a', object: 'audio.speech', url: 'http://127.0.0.1/a' })
    })
    const client = connect(server.url, { idempotent: true, maxRetries: 2 })
    await client.speech.createUrl(SPEECH)
    await client.speech.createUrl(SPEECH)
    await client.speech.createUrl(SPEECH, { idempotencyKey: 'mine' })
    expect(keys).toHaveLength(4)
    expect(keys[0]).toMatch(/^[\w-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
    expect(keys[3]).toBe('mine')
  })

  test('is off by default: no key, and no second attempt of a billable call', async () => {
    const keys: unknown[] = []
    const server = await startServer(async (request, response) => {
      await readBody(request)
      keys.push(request.headers['idempotency-key'])
      response.destroy()
    })
    const error = await rejection(connect(server.url, { maxRetries: 2 }).speech.createUrl(SPEECH))
    expect(error).toMatchObject({ name: 'ConnectionError' })
    expect(keys).toEqual([undefined])
    const options = { apiKey: API_KEY, baseUrl: server.url, idempotent: 'yes' as unknown as boolean }
    expect(() => new AudioClient(options)).toThrow(ConfigurationError)
  })
})

test('await using closes a client and cancels a stream', async () => {
  const closed = Promise.withResolvers<string>()
  const server = await startServer((_, response) => {
    openEvents(response)
    response.write(frames(CREATED, delta(pcm(100))))
    response.once('close', () => closed.resolve('closed'))
  })
  {
    await using client = new AudioClient({ apiKey: API_KEY, baseUrl: server.url })
    await using stream = await client.speech.stream(STREAM)
    expect(stream.complete).toBe(false)
    await stream[Symbol.asyncDispose]()
  }
  expect(await closed.promise).toBe('closed')
})

describe('unwrapWebhook()', () => {
  const secret = `whsec_${Buffer.from('a secret of the service').toString('base64')}`
  const task = { id: 't', object: 'audio.transcription', status: 'SUCCESS', created_at: 1, updated_at: 2, text: 'Hi' }
  const body = JSON.stringify(task)
  const sign = (text = body) =>
    signWebhook({ id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body: text, secret })

  test('returns the task, from Headers, from an object and from the request of Node', async () => {
    const signed = { ...(await sign()) }
    const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
    for (const headers of [new Headers(signed), signed, upper]) {
      const event = await unwrapWebhook({ body, headers, secret })
      expect(event).toEqual(task)
      const text: string | undefined = event.object === 'audio.transcription' ? event.text : event.url
      expect(text).toBe('Hi')
    }
    const received = Promise.withResolvers<unknown>()
    const server = createServer((request, response) => {
      received.resolve(
        readBody(request).then((bytes) => unwrapWebhook({ body: bytes, headers: request.headers, secret })),
      )
      response.end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers: signed })
    expect(await received.promise).toEqual(task)
  })

  test('throws for another body, no signature, a task that goes on, and what is no task', async () => {
    const headers = await sign()
    const refused = [
      { body: `${body} `, headers: { ...headers } },
      { body, headers: {} },
    ]
    for (const text of ['{"id":"t","status":"PROCESSING"}', '[]', 'no JSON', 'null']) {
      refused.push({ body: text, headers: { ...(await sign(text)) } })
    }
    for (const call of refused) {
      expect(await rejection(unwrapWebhook({ ...call, secret }))).toBeInstanceOf(WebhookVerificationError)
    }
  })
})
