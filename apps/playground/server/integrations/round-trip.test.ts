import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import express, { type Express } from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { callbackTrip, type Integration, roundTrip } from './round-trip.ts'
import { integrations, runIntegration } from './index.ts'
import { type Listening, serve } from '../http.ts'

const WAV = Buffer.from('RIFF-not-really')

let server: Listening | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(served: Express): Promise<string> {
  server = await serve(served)
  return server.url
}

/** An app that speaks and transcribes as it is told. */
function app(transcript: unknown, asked: unknown[] = []): Express {
  return express()
    .post('/speak', express.json(), (request, response) => {
      asked.push(request.body)
      response.type('audio/wav').send(WAV)
    })
    .post('/transcribe', express.raw({ type: 'multipart/form-data' }), (request, response) => {
      asked.push(String(request.body))
      response.json(transcript)
    })
}

describe('a round trip', () => {
  const signal = new AbortController().signal

  test('uploads the spoken audio as a file and returns both', async () => {
    const asked: unknown[] = []
    const outcome = await roundTrip({ url: await start(app({ text: 'hello' }, asked)) }, 'Hello', signal)
    expect(outcome.transcript).toBe('hello')
    expect(outcome.steps).toEqual(['POST /speak: 200, 15 bytes of audio/wav', 'POST /transcribe: 200, a transcript'])
    expect([Buffer.from(outcome.audio.bytes).toString(), outcome.audio.type]).toEqual([String(WAV), 'audio/wav'])
    expect(asked[0]).toEqual({ text: 'Hello' })
    expect(asked[1]).toMatch(/name="file"; filename="spoken\.wav"\r\ncontent-type: audio\/wav\r\n\r\nRIFF-not-really/i)
  })

  test.each([{}, { text: 7 }, null, 'hello'])('a response %j without a transcript fails', async (response) => {
    await expect(roundTrip({ url: await start(app(response)) }, 'Hello', signal)).rejects.toThrow(
      'without a transcript',
    )
  })

  test('a refusal of the app is shown with its own message', async () => {
    const refusing = express().post('/speak', (_request, response) => {
      response.status(429).json({ error: { code: 'rate_limit', message: 'Wait 3 s' } })
    })
    await expect(roundTrip({ url: await start(refusing) }, 'Hello', signal)).rejects.toThrow(
      'The app answered 429: Wait 3 s',
    )
  })

  test('a refusal is shown with the log of the app', async () => {
    const refusing = express().post('/speak', (_request, response) => {
      response.status(502).json({ error: { code: 'audio_service_unavailable', message: 'Not available' } })
    })
    const running = { url: await start(refusing), log: ['voice nobody not found'] }
    const message = 'The app answered 502: Not available\nvoice nobody not found'
    await expect(roundTrip(running, 'Hello', signal)).rejects.toThrow(message)
  })

  test('another response is shown with its start only', async () => {
    const failing = express().post('/speak', (_request, response) => void response.status(500).send('x'.repeat(5000)))
    const failed = roundTrip({ url: await start(failing) }, 'Hello', signal)
    await expect(failed).rejects.toThrow(`The app answered 500: ${'x'.repeat(300)}`)
    await expect(failed).rejects.not.toThrow('x'.repeat(301))
  })

  test('an abort ends it', async () => {
    const controller = new AbortController()
    const hanging = express().post('/speak', () => controller.abort())
    await expect(roundTrip({ url: await start(hanging) }, 'Hello', controller.signal)).rejects.toThrow(/abort/i)
  })
})

describe('the way of a callback', () => {
  const tasks = { wait: async () => ({}) }
  const creating = (answer: unknown): Express =>
    express().post('/tasks', (_request, response) => void response.status(202).json(answer))
  const signal = new AbortController().signal

  test('the way of a callback ends when the service has called for the task', async () => {
    const trip = { client: { tasks }, finished: Promise.resolve('task_1') }
    const step = await callbackTrip({ url: await start(creating({ id: 'task_1' })) }, 'Hello', trip, signal)
    expect(step).toBe('POST /tasks: 202, then the callback of task_1')
  })

  test('the way of a callback fails for the callback of another task, and for a response without a task', async () => {
    const trip = { client: { tasks }, finished: Promise.resolve('task_2') }
    const url = await start(creating({ id: 'task_1' }))
    await expect(callbackTrip({ url }, 'Hello', trip, signal)).rejects.toThrow(
      'called for task_2, not for its task task_1',
    )
    await server?.close()
    const empty = await start(creating({}))
    await expect(callbackTrip({ url: empty }, 'Hello', trip, signal)).rejects.toThrow('without the field id')
  })

  test('the way of a callback fails without a callback', async () => {
    const controller = new AbortController()
    const wait = async (): Promise<object> => {
      controller.abort(new Error('left'))
      return {}
    }
    const trip = {
      client: { tasks: { wait } },
      finished: new Promise<string>(() => {}),
    }
    const late = callbackTrip({ url: await start(creating({ id: 'task_1' })) }, 'Hello', trip, controller.signal)
    await expect(late).rejects.toThrow('The service did not call the app')
  })
})

describe('a run of an integration', () => {
  let scratch: string
  let client: AudioClient
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'svc-audio-run-'))
    client = new AudioClient({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1' })
  })
  afterAll(async () => {
    await client.close()
    await rm(scratch, { recursive: true })
  })

  const context = (signal = new AbortController().signal): Parameters<typeof runIntegration>[1] => ({
    text: 'the old wall clock',
    voice_id: 'rms',
    client,
    apiKey: 'key',
    baseUrl: 'http://127.0.0.1:1',
    callbacks: false,
    signal,
  })
  const integration = (load: Integration['load']): Integration => ({
    id: 'own',
    title: 'Own',
    package: 'own',
    about: '',
    load,
  })

  test('a run of an integration has an empty folder of its own, which is removed with its files', async () => {
    let folder = ''
    const outcome = await runIntegration(
      integration(async () => ({
        run: async (input) => {
          ;({ folder } = input)
          expect(await readdir(folder)).toEqual([])
          await writeFile(join(folder, 'left.wav'), WAV)
          return { audio: { bytes: WAV, type: 'audio/wav' }, transcript: 'the cold wall clock', steps: ['spoken'] }
        },
      })),
      context(),
      scratch,
    )
    expect(folder.startsWith(join(scratch, 'own-'))).toBe(true)
    expect(await readdir(scratch)).toEqual([])
    expect(outcome).toMatchObject({ steps: ['spoken'], wordErrorRate: 0.25, ms: expect.any(Number) })
  })

  test('a run of an integration that fails leaves no folder', async () => {
    const failing = integration(async () => ({
      run: async () => {
        throw new Error('The workflow returned no transcript')
      },
    }))
    await expect(runIntegration(failing, context(), scratch)).rejects.toThrow('returned no transcript')
    expect(await readdir(scratch)).toEqual([])
  })

  test('a run of an integration whose framework is missing fails alone, before a folder is made', async () => {
    const missing = integration(() => Promise.reject(new Error("Cannot find package 'langchain'")))
    await expect(runIntegration(missing, context(), scratch)).rejects.toThrow("Cannot find package 'langchain'")
  })

  test('a run of an integration that is aborted while its framework loads does not start', async () => {
    const controller = new AbortController()
    let ran = false
    const slow = integration(async () => {
      controller.abort(new Error('left'))
      return {
        run: async () => {
          ran = true
          return { audio: { bytes: WAV, type: 'audio/wav' }, transcript: '', steps: [] }
        },
      }
    })
    await expect(runIntegration(slow, context(controller.signal), scratch)).rejects.toThrow('left')
    expect(ran).toBe(false)
  })
})

test('the ids of the integrations are distinct and can stand in an address', () => {
  const ids = integrations.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/)
})
