import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamFailedError, StreamTruncatedError } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { riffChunks } from './support/audio.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

// What the checks of apps/conformance cannot see of real speech: exact samples, exact markings, and the folder.
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const SPEECH = '/v1/audio/speech'
const body = { model: 'svc-tts-1.5-flash', input: 'Hello there, this is a short sentence.', voice_id: 'rms' } as const
const LONG = Array.from({ length: 60 }, (_, n) => `This is sentence number ${n} of a long story.`).join(' ')

async function bytes(change: object, headers: Record<string, string> = {}): Promise<Buffer> {
  const response = await service.request('POST', SPEECH, { ...body, ...change }, headers)
  expect(response.status).toBe(200)
  return Buffer.from(await response.bytes())
}

async function taskOf(id: string | undefined): Promise<Record<string, unknown>> {
  return (await (await service.request('GET', `/v1/audio/tasks/${id}`)).json()) as Record<string, unknown>
}

test('a response, both kinds of stream and the result of a task have the same samples', async () => {
  const pcm = await bytes({ response_format: 'pcm' })
  expect(await bytes({ response_format: 'pcm', stream: true })).toEqual(pcm)
  const events = await service.audio.speech.stream(body)
  expect(Buffer.from((await events.toWav()).subarray(44))).toEqual(pcm)
  const task = await service.audio.speech.createTask({ ...body, response_format: 'wav' })
  const file = await service.audio.download(await task.wait({ pollInterval: 20 }))
  expect(Buffer.from(riffChunks(await file.bytes()).get('data') ?? [])).toEqual(pcm)
})

test('expected_duration_sec is the length of a stream', async () => {
  const stream = await service.audio.speech.stream({ ...body, expected_duration_sec: 4 })
  expect(Math.abs(((await stream.toWav()).byteLength - 44) / 32_000 - 4)).toBeLessThan(0.15)
})

test('the task of a stream has a WAV file of its samples, with the whole marking', async () => {
  const marking = { enabled: true, content_propagator: 'radio "x"', propagate_id: 'p-1' }
  const stream = await service.audio.speech.stream({ ...body, aigc_metadata: marking })
  const streamed = await stream.toWav()
  const { url } = await taskOf(stream.taskId)
  const chunks = riffChunks(await (await fetch(String(url))).bytes())
  expect(Buffer.from(chunks.get('data') ?? []).equals(streamed.subarray(44))).toBe(true)
  expect(JSON.parse(new TextDecoder().decode(chunks.get('AIGC')))).toEqual({
    AIGC: {
      Label: '1',
      ContentProducer: 'svc-audio',
      ProduceID: stream.taskId,
      ReservedCode1: '',
      ContentPropagator: 'radio "x"',
      PropagateID: 'p-1',
      ReservedCode2: '',
    },
  })
})

test.each(['mp3', 'wav', 'opus', 'flac', 'aac'])(
  'as %s, audio under the same key is identical to the last byte, marking included',
  async (response_format) => {
    const marked = { response_format, aigc_metadata: { enabled: true, propagate_id: 'p-1' } }
    const key = { 'idempotency-key': response_format }
    const [first, again, other] = [await bytes(marked, key), await bytes(marked, key), await bytes(marked)]
    expect(again.equals(first)).toBe(true)
    expect(other.equals(first)).toBe(false)
  },
)

describe('a voice from a sample', () => {
  const sample = 'This sample is long enough: it has two sentences. The second one ends here.'

  test.each(['wav', 'mp3', 'opus', 'flac', 'aac'] as const)(
    'in %s speaks the same samples in a response, a stream, a task and a dialogue',
    async (format) => {
      const audio_sample = await bytes({ input: sample, voice_id: 'slt', response_format: format })
      const { id: voice_id } = await service.audio.voices.create({ audio_sample, name: format })
      const pcm = await bytes({ voice_id, response_format: 'pcm' })
      expect(pcm.equals(await bytes({ response_format: 'pcm' }))).toBe(false)
      expect((await bytes({ voice_id, response_format: 'pcm', stream: true })).equals(pcm)).toBe(true)
      const task = await service.audio.speech.createTask({ ...body, voice_id, response_format: 'pcm' })
      const file = await service.audio.download(await task.wait({ pollInterval: 20 }))
      expect(Buffer.from(await file.bytes()).equals(pcm)).toBe(true)
      const dialogue = await service.audio.dialogue.create({
        model: 'svc-ttsd-1.0',
        speakers: [{ id: 'one', voice_id }],
        segments: [{ speaker: 'one', text: body.input }],
        response_format: 'pcm',
      })
      expect(Buffer.from(await dialogue.bytes()).equals(pcm)).toBe(true)
    },
  )
})

test('a voice generation gives the same samples each time, and other ones for another instruction', async () => {
  const generate = async (instruction: string): Promise<Buffer> => {
    const request = {
      model: 'svc-voice-generator-1.0',
      input: body.input,
      instruction,
      response_format: 'pcm',
    } as const
    return Buffer.from(await (await service.audio.voiceGenerations.create(request)).bytes())
  }
  const first = await generate('A calm old man who speaks slowly')
  expect((await generate('A calm old man who speaks slowly')).equals(first)).toBe(true)
  expect((await generate('A young woman who speaks fast')).equals(first)).toBe(false)
})

test('the marking of a dialogue that runs as a task has the id of the task', async () => {
  const task = await service.audio.dialogue.createTask({
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'one', voice_id: 'rms' }],
    segments: [{ speaker: 'one', text: body.input }],
    response_format: 'wav',
    aigc_metadata: { enabled: true },
  })
  const file = await service.audio.download(await task.wait({ pollInterval: 20 }))
  const marking = new TextDecoder().decode(riffChunks(await file.bytes()).get('AIGC'))
  expect(JSON.parse(marking)).toMatchObject({ AIGC: { ProduceID: task.id } })
})

test('a disconnect in mid-stream stops the work: the task fails and nothing is stored', async () => {
  const stream = await service.audio.speech.stream({ ...body, input: LONG })
  for await (const chunk of stream) {
    expect(chunk.byteLength).toBeGreaterThan(0)
    break
  }
  await expect.poll(async () => (await taskOf(stream.taskId))['status']).toBe('FAILED')
  expect(await taskOf(stream.taskId)).toMatchObject({ error: { code: 'client_disconnected' } })
  expect((await service.list('results')).filter((name) => name.includes(stream.taskId ?? ''))).toEqual([])
})

describe('a stop', () => {
  test('is not delayed by a client that does not read', async () => {
    const own = await startTestService({ stopTimeout: 50 })
    const { hostname, port } = new URL(own.url)
    const socket = connect(Number(port), hostname)
    const request = JSON.stringify({ ...body, input: LONG.repeat(20), stream: true, response_format: 'pcm' })
    socket.write(
      `POST ${SPEECH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${request.length}\r\n\r\n${request}`,
    )
    await once(socket, 'readable')
    await own.close()
    socket.destroy()
    expect(existsSync(own.dataDir)).toBe(false)
  })

  test('ends a stream with an error event, never with done', async () => {
    const own = await startTestService({ stopTimeout: 50 })
    const stream = await own.audio.speech.stream({ ...body, input: LONG.repeat(20) })
    const reading = (async () => {
      for await (const chunk of stream) await sleep(chunk.byteLength > 0 ? 2 : 1)
    })()
    const [[failure]] = await Promise.all([Promise.allSettled([reading]), own.close()])
    const reason: unknown = failure.status === 'rejected' ? failure.reason : undefined
    const code = reason instanceof StreamFailedError ? reason.code : undefined
    expect(reason instanceof StreamTruncatedError || code === 'shutting_down').toBe(true)
  })
})
