import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamFailedError, StreamTruncatedError, type StreamEvent, type Task } from '@svc-audio/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { peak, riffChunks, riffSize } from './support/audio.ts'
import { KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const body = { model: 'svc-tts-1.5-flash', input: 'Hello there, this is a short sentence.', voice_id: 'rms' } as const
const LONG = Array.from({ length: 60 }, (_, n) => `This is sentence number ${n} of a long story.`).join(' ')

async function task(id: string): Promise<Task & Record<string, unknown>> {
  const response = await service.request('GET', `/v1/audio/tasks/${id}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Task & Record<string, unknown>
}

/** Waits for a task's end, shortly after a disconnect. */
async function ended(id: string): Promise<Task & Record<string, unknown>> {
  for (;;) {
    const now = await task(id)
    if (now.status !== 'PROCESSING') return now
    await sleep(20)
  }
}

// rules: stream.sse-answer, speech-events.frames, speech-events.task-created, speech-events.format
// rules: speech-events.values, speech-events.delta, speech-events.done, states.stream-processing
test('the events of a stream are frames of data lines only, from task.created to speech.audio.done', async () => {
  const request = { ...body, stream: true, response_format: 'pcm', stream_format: 'sse' }
  const response = await service.request('POST', '/v1/audio/speech', request)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const text = await response.text()
  expect(text.endsWith('\n\n')).toBe(true)
  const frames = text.trimEnd().split('\n\n')
  expect(frames.every((frame) => /^data: \{.*\}$/.test(frame))).toBe(true)
  const events = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as StreamEvent)
  expect(events[0]).toEqual({
    type: 'task.created',
    task_id: expect.stringMatching(/^task_[\da-f]{32}$/),
    object: 'audio.speech',
    status: 'PROCESSING',
    model: 'svc-tts-1.5-flash',
  })
  expect(events[1]).toEqual({ type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 })
  const deltas = events.slice(2, -1)
  expect(deltas.length).toBeGreaterThan(1)
  expect(deltas.every((event) => event.type === 'speech.audio.delta' && typeof event['audio'] === 'string')).toBe(true)
  expect(events.at(-1)).toEqual({ type: 'speech.audio.done' })
})

test('the first delta of a stream is audible', async () => {
  const stream = await service.audio.speech.stream(body)
  for await (const chunk of stream) {
    expect(peak(chunk)).toBeGreaterThan(0.01)
    break
  }
})

// rules: stream.pcm-answer, stream.pcm-format, stream.stream-format
test('raw PCM carries its format in headers and the same audio as the events', async () => {
  const request = { ...body, stream: true, response_format: 'pcm' }
  const response = await service.request('POST', '/v1/audio/speech', request)
  expect(response.headers.get('content-type')).toBe('audio/pcm')
  expect(response.headers.get('x-sample-rate')).toBe('16000')
  expect(response.headers.get('x-channels')).toBe('1')
  expect(response.headers.get('x-bit-depth')).toBe('16')
  const raw = await response.bytes()
  const events = await service.audio.speech.stream(body)
  const wav = await events.toWav()
  expect(Buffer.from(wav.subarray(44)).equals(raw)).toBe(true)
  expect(events.complete).toBe(true)
})

test('a pause marker becomes silence of that length', async () => {
  const bytes = async (input: string): Promise<number> => {
    const stream = await service.audio.speech.stream({ ...body, input })
    return (await stream.toWav()).byteLength
  }
  const short = await bytes('Hello. [pause 0.5s] Goodbye.')
  const long = await bytes('Hello. [pause 2.5s] Goodbye.')
  expect(long - short).toBe(2 * 16_000 * 2)
})

// rules: stream.speed-range, stream.expected-duration
test('speed and expected_duration_sec change the length', async () => {
  const seconds = async (change: object): Promise<number> => {
    const stream = await service.audio.speech.stream({ ...body, ...change })
    return ((await stream.toWav()).byteLength - 44) / 32_000
  }
  const normal = await seconds({})
  expect(await seconds({ speed: 2 })).toBeLessThan(normal * 0.65)
  expect(await seconds({ speed: 0.5 })).toBeGreaterThan(normal * 1.6)
  expect(Math.abs((await seconds({ expected_duration_sec: 4 })) - 4)).toBeLessThan(0.15)
})

// rules: stream.aigc, stream.aigc-file-only, speech.aigc-fields, speech.aigc-written, task.result-at-top-level
test('a finished stream leaves a task with its final WAV, marked if the request asks for it', async () => {
  const marking = { enabled: true, content_propagator: 'radio "x"', propagate_id: 'p-1' }
  const stream = await service.audio.speech.stream({ ...body, aigc_metadata: marking })
  const streamed = await stream.toWav()
  const done = await task(stream.taskId ?? '')
  expect(done).toMatchObject({
    id: stream.taskId,
    object: 'audio.speech',
    status: 'SUCCESS',
    response_format: 'wav',
    content_type: 'audio/wav',
  })
  expect(done).not.toHaveProperty('retry_after')
  expect(done).not.toHaveProperty('result')
  const file = await fetch(String(done['url'])).then((response) => response.bytes())
  expect(riffSize(file)).toBe(file.byteLength)
  const chunks = riffChunks(file)
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

// rules: speech.aigc-default
test('a stream is unmarked by default', async () => {
  const stream = await service.audio.speech.stream(body)
  await stream.toWav()
  const { url } = await task(stream.taskId ?? '')
  const file = await fetch(String(url)).then((response) => response.bytes())
  expect(riffChunks(file).has('AIGC')).toBe(false)
})

// rules: task.retry-after, states.stream-processing
test('a running stream shows PROCESSING with retry_after, and its task is invisible to other tenants', async () => {
  const stream = await service.audio.speech.stream({ ...body, input: LONG })
  const now = await task(stream.taskId ?? '')
  expect(now).toMatchObject({ status: 'PROCESSING', retry_after: 1 })
  const path = `/v1/audio/tasks/${stream.taskId}`
  const other = await service.request('GET', path, undefined, { authorization: `Bearer ${OTHER_KEY}` })
  expect(other.status).toBe(404)
  stream.cancel()
  await ended(stream.taskId ?? '')
})

// rules: states.failed, task.error, speech-events.disconnect
test('a disconnect in mid-stream stops the work: the task fails and nothing is stored', async () => {
  const stream = await service.audio.speech.stream({ ...body, input: LONG })
  for await (const chunk of stream) {
    expect(chunk.byteLength).toBeGreaterThan(0)
    break
  }
  expect(await ended(stream.taskId ?? '')).toMatchObject({ status: 'FAILED', error: { code: 'client_disconnected' } })
  expect((await service.list('results')).filter((name) => name.includes(stream.taskId ?? ''))).toEqual([])
})

test('a client that does not read cannot delay a stop', async () => {
  const own = await startTestService({ stopTimeout: 50 })
  const { hostname, port } = new URL(own.url)
  const socket = connect(Number(port), hostname)
  const request = JSON.stringify({ ...body, input: LONG.repeat(20), stream: true, response_format: 'pcm' })
  socket.write(
    `POST /v1/audio/speech HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
      `content-type: application/json\r\ncontent-length: ${request.length}\r\n\r\n${request}`,
  )
  await once(socket, 'readable')
  await own.close()
  socket.destroy()
  expect(existsSync(own.dataDir)).toBe(false)
})

test('a stopping service ends a stream with an error event, never with done', async () => {
  const own = await startTestService({ stopTimeout: 50 })
  try {
    const stream = await own.audio.speech.stream({ ...body, input: LONG.repeat(20) })
    const reading = (async () => {
      for await (const chunk of stream) await sleep(chunk.byteLength > 0 ? 2 : 1)
    })()
    const [failure] = await Promise.all([
      reading.then(
        () => undefined,
        (error: unknown) => error,
      ),
      own.close(),
    ])
    const code = failure instanceof StreamFailedError ? failure.code : undefined
    expect(failure instanceof StreamTruncatedError || code === 'shutting_down').toBe(true)
  } finally {
    await own.close()
  }
})
