import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BullModule, getQueueToken } from '@nestjs/bullmq'
import { Test } from '@nestjs/testing'
import { AudioClient } from '@svc-audio/core'
import { AudioModule } from '@svc-audio/nestjs'
import { startService } from '@svc-audio/service'
import { createTestUpstream, type TestUpstream, wavFile } from '@svc-audio/testing'
import type { Job, Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
// @boundaries-ignore the recipe is the example's code
import { startRedis, type RedisServer } from '../../../examples/nestjs/redis.ts'
// @boundaries-ignore the recipe is the example's code
import { sharedSemaphore } from '../../../examples/nestjs/src/shared-semaphore.ts'
// @boundaries-ignore the recipe is the example's code
import { type TranscriptJob, TranscriptsProcessor } from '../../../examples/nestjs/src/transcripts.processor.ts'

let folder: string
let redis: RedisServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-redis-'))
  const started = await startRedis(folder)
  if (started === undefined) throw new Error('Install redis-server: apt-get install redis-server')
  redis = started
})
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** An app with one worker, as one process has it. */
async function worker({ url: baseUrl, apiKey }: Pick<TestUpstream, 'url' | 'apiKey'>) {
  const app = await Test.createTestingModule({
    imports: [
      AudioModule.forRoot({ apiKey, baseUrl, isGlobal: true }),
      BullModule.forRoot({ connection: { url: redis.url } }),
      BullModule.registerQueue({
        name: 'transcripts',
        defaultJobOptions: { attempts: 5, backoff: { type: 'fixed', delay: 50 } },
      }),
    ],
    providers: [TranscriptsProcessor],
  }).compile()
  await app.init()
  return { app, queue: app.get<Queue<TranscriptJob>>(getQueueToken('transcripts')) }
}

test('a job whose worker shuts down resumes in another one, and its task is created once', async () => {
  await using upstream = await createTestUpstream({ polls: Infinity, retryAfter: undefined, transcript: 'hello' })
  const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  const { id: fileId } = await client.files.create({ file: wavFile(100), purpose: 'audio' })
  const first = await worker(upstream)
  const job = await first.queue.add('transcript', { fileId })
  const stored = async (queue: Queue<TranscriptJob>) => (await queue.getJob(job.id ?? ''))?.data.taskId
  const taskId = await vi.waitUntil(() => stored(first.queue), { timeout: 10_000 })
  await first.app.close()
  const second = await worker(upstream)
  await upstream.completeTask(taskId)
  const finished = await vi.waitUntil(
    async () =>
      (await second.queue.getJobState(job.id ?? '')) === 'completed' ? second.queue.getJob(job.id ?? '') : undefined,
    { timeout: 20_000 },
  )
  expect(finished.returnvalue).toBe('hello')
  expect(upstream.requests.filter(({ path }) => path === '/v1/audio/transcriptions')).toHaveLength(1)
  await second.app.close()
  await client.close()
})

test('a worker that dies between creating the task and storing its id gets the same task again', async () => {
  const service = await startService({ dataDir: folder, port: 0, apiKeys: new Map([['key', 'tenant']]) })
  const client = new AudioClient({ apiKey: 'key', baseUrl: service.url })
  const { id: fileId } = await client.files.create({ file: wavFile(16_000), purpose: 'audio' })
  const stored: TranscriptJob[] = []
  const updateData = vi
    .fn<(data: TranscriptJob) => Promise<void>>()
    .mockRejectedValueOnce(new Error('The worker dies here'))
    .mockImplementation(async (data) => void stored.push(data))
  const job = { id: '1', data: { fileId }, updateData } as unknown as Job<TranscriptJob>
  const created = vi.spyOn(client.transcriptions, 'createTask')
  const processor = new TranscriptsProcessor(client)
  await expect(processor.process(job)).rejects.toThrow('dies here')
  await processor.process(job)
  const tasks = await Promise.all(created.mock.results.map(({ value }) => value as Promise<{ id: string }>))
  expect(tasks.map(({ id }) => id)).toEqual([stored[0]?.taskId, stored[0]?.taskId])
  await client.close()
  await service.close()
})

test('clients of several processes share one semaphore', async () => {
  await using upstream = await createTestUpstream()
  const connections = [1, 2, 3].map(() => new Redis(redis.url))
  const clients = connections.map(
    (connection) =>
      new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, semaphore: sharedSemaphore(connection, 2) }),
  )
  const body = { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello' }
  const calls = clients.flatMap((client) => [1, 2, 3, 4].map(() => client.speech.create(body)))
  await Promise.all(calls.map(async (call) => (await call).bytes()))
  expect(upstream.requests).toHaveLength(12)
  expect(upstream.mostAtOnce).toBeLessThanOrEqual(2)
  await Promise.all(clients.map((client) => client.close()))
  for (const connection of connections) connection.disconnect()
})
