import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, type TestUpstream, wavFile } from '@svc-audio/testing'
import { type Job, Queue } from 'bullmq'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
// @boundaries-ignore the recipe is the example's code
import { startRedis, type RedisServer } from '../../../examples/nestjs/redis.ts'
// @boundaries-ignore the recipe is the example's code
import type { TranscriptJob } from '../../../examples/nestjs/src/transcripts.processor.ts'

// Beside the dependencies of the examples, which it imports.
const SCRIPT = join(import.meta.dirname, '../../../examples/node_modules/.cache/queue-worker.mjs')
const PATIENCE = { timeout: 60_000 }

let folder: string
let redis: RedisServer
let upstream: TestUpstream
let queue: Queue<TranscriptJob>
let workers: ChildProcess[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-stall-'))
  const started = await startRedis(folder)
  if (started === undefined) throw new Error('Install redis-server: apt-get install redis-server')
  redis = started
  // Node does not run decorators.
  const bundle = await rolldown({
    input: join(import.meta.dirname, '../test-hosts/support/queue-worker.ts'),
    platform: 'node',
    external: /^(?:@nestjs|@svc-audio|reflect-metadata)/,
  })
  await bundle.write({ file: SCRIPT })
})
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await rm(SCRIPT, { force: true })
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: 'key', polls: Infinity, retryAfter: undefined, transcript: 'hello' })
  queue = new Queue('transcripts', { connection: { url: redis.url } })
  await queue.obliterate({ force: true })
  workers = []
})
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await Promise.all(workers.map(async (worker) => worker.exitCode ?? worker.signalCode ?? once(worker, 'close')))
  await queue.close()
  await upstream.close()
})

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [SCRIPT, upstream.url, redis.url], { stdio: ['ignore', 'pipe', 'pipe'] })
  workers.push(worker)
  await once(worker.stdout, 'data')
  return worker
}

/** Adds a job and waits until its task is stored. */
async function runningJob(): Promise<Job<TranscriptJob> & { data: Required<TranscriptJob> }> {
  const client = new AudioClient({ apiKey: 'key', baseUrl: upstream.url })
  const { id: fileId } = await client.files.create({ file: wavFile(100), purpose: 'audio' })
  await client.close()
  const { id = '' } = await queue.add('transcript', { fileId })
  return vi.waitUntil(async () => {
    const job = await queue.getJob(id)
    return job?.data.taskId === undefined ? undefined : (job as Job<TranscriptJob> & { data: Required<TranscriptJob> })
  }, PATIENCE)
}

async function completed(id: string | undefined): Promise<Job<TranscriptJob>> {
  return vi.waitUntil(async () => {
    const job = await queue.getJob(id ?? '')
    return job?.finishedOn === undefined ? undefined : job
  }, PATIENCE)
}

const paid = (): number => upstream.requests.filter(({ path }) => path === '/v1/audio/transcriptions').length
const polls = (): number => upstream.requests.filter(({ path }) => path.includes('/tasks/')).length

describe('a job whose lock expires resumes in another worker, and its task is created once', () => {
  test('after its worker was killed', async () => {
    const first = await startWorker()
    const job = await runningJob()
    first.kill('SIGKILL')
    await once(first, 'close')
    await startWorker()
    const seen = polls()
    await vi.waitUntil(() => polls() > seen, PATIENCE)
    await upstream.completeTask(job.data.taskId)
    expect(await completed(job.id)).toMatchObject({
      returnvalue: 'hello',
      stalledCounter: 1,
      data: { taskId: job.data.taskId },
    })
    expect(paid()).toBe(1)
  })

  test('while its worker is stopped, and the worker continues afterwards', async () => {
    const first = await startWorker()
    const job = await runningJob()
    first.kill('SIGSTOP')
    await startWorker()
    const seen = polls()
    await vi.waitUntil(() => polls() > seen, PATIENCE)
    await upstream.completeTask(job.data.taskId)
    expect(await completed(job.id)).toMatchObject({ returnvalue: 'hello', stalledCounter: 1 })
    let log = ''
    first.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text))
    first.kill('SIGCONT')
    // The first worker gets the transcript too, and may not end a job that it has lost.
    await vi.waitUntil(() => log.includes('Missing lock for job'), PATIENCE)
    expect(await queue.getJobCounts()).toMatchObject({ completed: 1, active: 0, waiting: 0, failed: 0, delayed: 0 })
    expect(paid()).toBe(1)
    expect(first.exitCode).toBeNull()
  })
})
