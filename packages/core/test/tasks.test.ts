import { describe, expect, test } from 'vitest'
import { connect, listAll, rejection, until } from './support/clients.ts'
import { hastyClient } from './support/hasty-client.ts'
import { readBody, startServer, type TestServer } from './support/servers.ts'
import { pcm, SPEECH } from './support/speech.ts'
import { steppedClock } from './support/stepped-clock.ts'
import { nodeTransport } from '../src/index.ts'
import { PureAudioClient } from '../src/pure.ts'

const CREATION = { id: 't-1', task_id: 't-1', object: 'audio.speech', status: 'PENDING', retry_after: 3, created_at: 1 }
const DONE = { id: 't-1', object: 'audio.speech', status: 'SUCCESS', created_at: 1, updated_at: 2, url: '/r', extra: 1 }

/** A service whose tasks give these responses in turn, the last one for ever. */
function startTasks(...responses: readonly (readonly [status: number, body: object])[]): Promise<TestServer> {
  let asked = 0
  return startServer(async (request, response) => {
    await readBody(request)
    const polled = responses[Math.min(asked, responses.length - 1)] ?? [500, {}]
    const [status, body] = request.method === 'POST' ? [200, CREATION] : polled
    if (request.method === 'GET') asked += 1
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

const processing = (retryAfter: number): [number, object] => [
  200,
  { ...CREATION, status: 'PROCESSING', retry_after: retryAfter },
]

describe('interface: "a client polls at the retry_after interval"', () => {
  // rules: creation.retry-after, states.poll-interval, speech.task-result, task.result-fields-open
  test('from the creation until the task ends, and returns every field of the result', async () => {
    const server = await startTasks(processing(7), [503, {}], [200, DONE])
    const { client, delays, timers } = hastyClient(server.url, { random: () => 0 })
    const task = await client.speech.createTask(SPEECH)
    expect(await task.wait()).toEqual(DONE)
    expect(delays[0]).toBe(3000)
    expect(delays[1]).toBe(7000)
    expect(timers()).toBe(0)
    expect(server.requests).toHaveLength(4)
  })

  test('waiting for a task of another process needs only its id', async () => {
    const server = await startTasks([200, DONE])
    expect(await connect(server.url).tasks.wait('t-1')).toEqual(DONE)
  })

  // rules: states.failed, task.error, errors.task-open
  test('FAILED throws with the error of the service', async () => {
    const failed = {
      ...DONE,
      status: 'FAILED',
      error: { reason: { deep: [1] }, code: 'engine_down', message: 'no engine' },
    }
    const server = await startTasks([200, failed])
    const error = await rejection(connect(server.url).tasks.wait('t-1'))
    expect(error).toMatchObject({ name: 'TaskFailedError', taskId: 't-1', code: 'engine_down', error: failed.error })
  })

  test('several tasks are awaited together, in order or as they end', async () => {
    const server = await startServer((request, response) => {
      const id = request.url?.split('/').at(-1)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...DONE, id, status: id === 'bad' ? 'FAILED' : 'SUCCESS' }))
    })
    const { tasks } = connect(server.url)
    expect((await tasks.waitAll(['b', 'a'])).map(({ id }) => id)).toEqual(['b', 'a'])
    const outcomes = await listAll(tasks.asCompleted(new Set(['a', 'bad'])))
    expect(outcomes.map(({ id }) => id).toSorted()).toEqual(['a', 'bad'])
    expect(outcomes.find(({ id }) => id === 'bad')).toMatchObject({ error: { name: 'TaskFailedError' } })
  })

  test('an unknown task ends the wait at once', async () => {
    const server = await startTasks([404, {}])
    expect(await rejection(connect(server.url).tasks.wait('t-1'))).toMatchObject({ status: 404 })
    expect(server.requests).toHaveLength(1)
  })
})

describe('one budget over upload, creation and wait', () => {
  const build = (server: TestServer): { clock: ReturnType<typeof steppedClock>; client: PureAudioClient } => {
    const clock = steppedClock()
    const client = new PureAudioClient({ apiKey: 'k', baseUrl: server.url, transport: nodeTransport(), clock })
    return { clock, client }
  }

  test('the time of the creation shortens the wait', async () => {
    const server = await startTasks(processing(60))
    const { clock, client } = build(server)
    const body = { model: 'svc-transcribe-1.0', file: pcm(100) } as const
    const task = await client.transcriptions.createTask(body, { timeout: 10_000 })
    clock.advance(6000)
    const failed = rejection(task.wait())
    await until(() => clock.timers() > 0)
    clock.advance(3999)
    clock.advance(1)
    expect(await failed).toMatchObject({ name: 'TaskTimeoutError', taskId: 't-1' })
    await client.close()
  })

  test('without time left, the wait throws at once with the id', async () => {
    const server = await startTasks(processing(60))
    const { clock, client } = build(server)
    const task = await client.speech.createTask(SPEECH, { timeout: 10_000 })
    clock.advance(10_000)
    expect(await rejection(task.wait())).toMatchObject({ name: 'TaskTimeoutError', taskId: 't-1' })
    expect(server.requests).toHaveLength(1)
    await client.close()
  })

  test('the signal of the creation ends the wait too', async () => {
    const server = await startTasks(processing(60))
    const { clock, client } = build(server)
    const controller = new AbortController()
    const task = await client.speech.createTask(SPEECH, { signal: controller.signal })
    const failed = rejection(task.wait())
    await until(() => clock.timers() > 0)
    controller.abort('enough')
    expect(await failed).toBe('enough')
    expect(clock.timers()).toBe(0)
    await client.close()
  })

  test('the timeout of the client applies to single calls: a wait may take longer', async () => {
    const server = await startTasks(processing(5), [200, DONE])
    const { client } = hastyClient(server.url, { timeout: 1_000_000 })
    const task = await client.speech.createTask(SPEECH)
    expect(await task.wait()).toEqual(DONE)
  })
})

// rules: speech.task-result
test('notify() makes the wait read at once', async () => {
  const server = await startTasks(processing(3600), [200, DONE])
  const audio = connect(server.url)
  const waiting = audio.tasks.wait('t-1')
  await until(() => server.requests.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  audio.tasks.notify('t-1')
  expect(await waiting).toEqual(DONE)
})

test('closing the client ends its waits and removes its timers', async () => {
  const server = await startTasks(processing(3600))
  const clock = steppedClock()
  const client = new PureAudioClient({ apiKey: 'k', baseUrl: server.url, transport: nodeTransport(), clock })
  const failed = rejection(client.tasks.wait('t-1'))
  await until(() => clock.timers() > 0)
  await client.close()
  expect(await failed).toMatchObject({ name: 'ConnectionError' })
  expect(clock.timers()).toBe(0)
})
