import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf, type N8nWorkflow, svcAudio } from '@svc-audio/kit/n8n-engine'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Snippet } from '../../client/code/snippet.ts'
import { FIRST_DRAFT, TASK_KINDS, type TaskKind } from '../../client/panels/tasks/draft.ts'
import { tasksSnippets } from '../../client/panels/tasks/snippets.ts'
import { measure } from '../support/actions.ts'
import { copyCode, pick, SPOKEN, textOf, TYPED } from '../support/copied-code.ts'
// @boundaries-ignore the Redis server is the example's
import { type RedisServer, startRedis } from '../../../../examples/nestjs/redis.ts'

const FILE = "my speech's.wav"
const VOICES = [{ id: 'rms' }, { id: 'slt' }]

let redis: RedisServer | undefined
let data: string
const copied = copyCode(() => ({ REDIS_URL: redis?.url ?? '' }))

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'svc-audio-redis-'))
  redis = await startRedis(data)
})
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]()
  await rm(data, { recursive: true, force: true })
})
beforeEach(() => copied.add(FILE, copied.recording))

const snippets = (kind: TaskKind, webhook = false): readonly Snippet[] =>
  tasksSnippets({ ...FIRST_DRAFT, kind, webhook, text: TYPED, voice: 'rms', format: 'wav' }, VOICES, FILE)

/** Stands in for n8n's own node that reads a file. */
function reader(): N8nWorkflow['nodes'] {
  const parameters = { resource: 'speech', text: SPOKEN, voice: { __rl: true, mode: 'id', value: 'rms' } }
  return [svcAudio('Read the file', { ...parameters, responseFormat: 'wav' })]
}

/** Whether bytes are audible speech, or the transcript of {@link SPOKEN}. */
function isResult(kind: TaskKind, bytes: Buffer): boolean {
  return kind === 'transcription' ? /fresh bread/i.test(String(bytes)) : measure(bytes).peak > 0.05
}

describe.each(['core', 'curl'] as const)('%s', (kind) => {
  test.each(['speech', 'dialogue'] as const)('%s', async (task) => {
    const printed = await copied.start(pick(snippets(task), kind))
    expect(printed).toMatch(/^Created task_\w+\n[\s\S]*SUCCESS\n$/)
    expect(measure(await copied.read('task.wav')).peak).toBeGreaterThan(0.05)
  })

  test('transcription', async () => {
    expect((await copied.start(pick(snippets('transcription'), kind))).toLowerCase()).toContain('bread')
  })
})

describe.each(TASK_KINDS)('Express: %s', (kind) => {
  test('answers with the result when the task has ended', async () => {
    await copied.callServer(pick(snippets(kind), 'express'), async ({ url, answer }) => {
      const { id } = JSON.parse(String(answer)) as { id: string }
      await copied.client.tasks.wait(id)
      const result = await fetch(`${url}/${kind === 'transcription' ? 'transcriptions' : kind}/${id}`)
      expect(isResult(kind, Buffer.from(await result.arrayBuffer()))).toBe(true)
    })
  })

  test('receives the callback', async () => {
    await copied.callServer(pick(snippets(kind, true), 'express'), async ({ answer, output }) => {
      const { id } = JSON.parse(String(answer)) as { id: string }
      await expect.poll(output).toContain(`Finished ${id}: SUCCESS`)
    })
  })
})

test.each(TASK_KINDS)('NestJS: the callback of a task of %s', async (kind) => {
  await copied.callServer(pick(snippets(kind, true), 'nestjs'), async ({ answer, output }) => {
    const { id } = JSON.parse(String(answer)) as { id: string }
    await expect.poll(output).toContain(`Finished ${id}: SUCCESS`)
  })
})

test.each(TASK_KINDS)('NestJS: a worker waits for a task of %s', async (kind) => {
  if (redis === undefined) throw new Error('Install redis-server: apt-get install redis-server')
  await copied.callServer(pick(snippets(kind), 'nestjs'), async ({ answer, output }) => {
    expect(JSON.parse(String(answer))).toHaveProperty('job')
    await expect.poll(output).toMatch(/Finished task_\w+: SUCCESS/)
  })
})

test('LangChain: transcription', async () => {
  const printed = await copied.start(pick(snippets('transcription'), 'langchain'))
  expect(printed).toMatch(/^Created task_/)
  expect(printed.toLowerCase()).toContain('bread')
})

describe('n8n', () => {
  test.each(TASK_KINDS)('%s', async (kind) => {
    const made = await copied.runN8n(pick(snippets(kind), 'n8n'), kind === 'transcription' ? reader() : [])
    const { Result: result } = made
    const bytes = result?.binary === undefined ? Buffer.from(textOf(result, 'text')) : bytesOf(result.binary['data'])
    expect([textOf(result, 'status'), isResult(kind, bytes)]).toEqual(['SUCCESS', true])
  })
})
