// Builds and starts the Nest app of this folder, and calls each feature once over HTTP.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { INestApplication } from '@nestjs/common'
import { AudioClient } from '@svc-audio/core'
import { WavMeter } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import type { Queue } from 'bullmq'
import type { ExampleContext, ExampleOutcome } from '../run.ts'
import { freePort, startRedis } from './redis.ts'

const TEXT = 'We will meet at the old bridge tomorrow morning.'

/** Speaks a sentence and transcribes it through each route of the app. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const main = await build()
  await using redis = await startRedis(folder)
  const port = await freePort()
  const environment = {
    AUDIO_KEY: apiKey,
    AUDIO_URL: baseUrl,
    WEBHOOK_URL: `http://127.0.0.1:${port}/hooks/audio`,
    WEBHOOK_SECRET: 'an example needs no better secret than this',
    REDIS_URL: redis?.url,
  }
  const app: INestApplication = await main.startApp(environment, port)
  try {
    const url = await app.getUrl()
    const audio = await (await ok(fetch(`${url}/speak?text=${encodeURIComponent(TEXT)}`))).bytes()
    const meter = new WavMeter()
    meter.add(audio)
    const form = new FormData()
    form.set('file', new Blob([audio], { type: 'audio/wav' }), 'bridge.wav')
    const heard = await ok(fetch(`${url}/transcribe`, { method: 'POST', body: form }))
    const { text }: { readonly text: string } = JSON.parse(await heard.text())
    const live = await (await ok(fetch(`${url}/transcribe/live`, { method: 'POST', body: form }))).text()
    const { id } = await app.get(AudioClient).files.create({ file: audio, purpose: 'audio' })
    const stored = await (await ok(fetch(`${url}/files/${id}/transcript`))).text()
    for (const events of [live, stored]) {
      if (!events.includes('transcript.text.done')) throw new Error(`The live transcript is incomplete: ${events}`)
    }
    await ok(fetch(`${url}/health`))
    await callBack(app, main)
    const queued = redis === undefined ? 'without a queue: redis-server is not installed' : await queue(app, main, id)
    return {
      audioSeconds: meter.durationSeconds ?? 0,
      transcript: text,
      wordErrorRate: wordErrorRate(TEXT, text),
      summary: `spoken, uploaded, live, by a callback, ${queued}`,
    }
  } finally {
    await app.close()
  }
}

type Main = typeof import('./src/main.ts')

/** Compiles the app: Nest needs decorators, and Node does not run them. */
async function build(): Promise<Main> {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  await promisify(execFile)(tsc, ['-p', import.meta.dirname])
  const built = './dist/main.js'
  return import(built)
}

/** Creates a task with a callback. The app emits the finished task as an event. */
async function callBack(app: INestApplication, { AudioWebhooks, Archive }: Main): Promise<void> {
  const callback = await app.get(AudioWebhooks).createCallback({ state: 'example' })
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', webhook_url: callback.url }
  const task = await app.get(AudioClient).speech.createTask(body)
  callback.bind(task.id)
  await task.wait()
  const { ids } = app.get(Archive)
  for (let tries = 0; !ids.includes(task.id); tries += 1) {
    if (tries > 200) throw new Error('The callback of the task did not come')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Adds a job to the queue. The worker waits for the transcript. */
async function queue(app: INestApplication, { getQueueToken }: Main, fileId: string): Promise<string> {
  const transcripts = app.get<Queue>(getQueueToken('transcripts'), { strict: false })
  const job = await transcripts.add('transcript', { fileId })
  for (let tries = 0; tries < 200; tries += 1) {
    if (await job.isCompleted()) return 'by a queue'
    if (await job.isFailed()) throw new Error('The job of the queue failed')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The job of the queue did not end')
}

async function ok(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`)
  return response
}
