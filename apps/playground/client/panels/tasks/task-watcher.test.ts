import { createFetchClient } from '@svc-audio/core/fetch'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { phaseOf, TaskWatcher } from './task-entry.ts'

const TASK = { id: 'task_1', object: 'audio.speech', created_at: 1, updated_at: 1 }

let asked: string[]
let respond: (path: string) => Response
let watcher: TaskWatcher

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  const client = createFetchClient({
    apiKey: 'key',
    baseUrl: 'http://127.0.0.1:5173/api',
    maxRetries: 0,
    fetch: async (input, { method } = {}) => {
      const path = new URL(input instanceof Request ? input.url : input).pathname.replace('/api/v1/audio/tasks/', '')
      asked.push(`${method} ${path}`)
      return respond(path)
    },
  })
  watcher = new TaskWatcher(client)
})
afterEach(() => {
  watcher.close()
  vi.useRealTimers()
})

const status = (name: string, more: object = {}): Response => Response.json({ ...TASK, status: name, ...more })
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)
const phase = (id = 'task_1'): string => phaseOf(watcher.of(id))

test('a task is read until it has ended, and every state is shown', async () => {
  const states = ['PENDING', 'PROCESSING', 'SUCCESS']
  const seen: string[] = []
  watcher.states.subscribe(() => seen.push(phase()))
  respond = () => status(states.shift() ?? 'FAILED')
  watcher.watch('task_1')
  expect(phase()).toBe('unread')
  await pass(30_000)
  expect([...new Set(seen)]).toEqual(['queued', 'working', 'done'])
  expect(states).toEqual([])
})

test('a task that is followed, or has ended, is not followed again', async () => {
  respond = () => status('SUCCESS')
  watcher.watch('task_1')
  watcher.watch('task_1')
  await pass(1000)
  watcher.watch('task_1')
  await pass(10_000)
  expect(asked).toEqual(['GET task_1'])
})

test('a failed task is a state, not a failure of the page', async () => {
  respond = () => status('FAILED', { error: { code: 'engine_failed', message: 'No voice' } })
  watcher.watch('task_1')
  await pass(1000)
  expect(phase()).toBe('failed')
  expect(watcher.of('task_1').failure).toBeUndefined()
})

test('a task that the service does not know is gone', async () => {
  respond = () => Response.json({ error: { code: 'task_not_found', message: 'Unknown task' } }, { status: 404 })
  watcher.watch('task_1')
  await pass(1000)
  expect(phase()).toBe('gone')
  watcher.watch('task_1')
  await pass(1000)
  expect(asked).toHaveLength(1)
})

test('several tasks are followed side by side', async () => {
  respond = (path) => (path === 'task_1' ? status('SUCCESS') : Response.json({ ...TASK, id: path, status: 'PENDING' }))
  watcher.watch('task_1')
  watcher.watch('task_2')
  await pass(100)
  expect([phase('task_1'), phase('task_2')]).toEqual(['done', 'queued'])
  expect([...watcher.states.get().keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(['task_1', 'task_2'])
})

test('a closed watcher asks no more, and shows no failure for it', async () => {
  respond = () => status('PROCESSING')
  watcher.watch('task_1')
  await pass(100)
  watcher.close()
  const count = asked.length
  await pass(60_000)
  expect(asked).toHaveLength(count)
  expect(watcher.of('task_1').failure).toBeUndefined()
  expect(phase()).toBe('working')
})

test('a webhook reads its task at once', async () => {
  respond = () => status('PROCESSING', { retry_after: 30 })
  watcher.watch('task_1')
  await pass(100)
  expect(asked).toHaveLength(1)
  respond = () => status('SUCCESS')
  watcher.notify('task_1')
  await pass(1000)
  expect(asked).toHaveLength(2)
  expect(phase()).toBe('done')
})

test('the states are replaced, not changed: a subscriber may compare them', async () => {
  const before = watcher.states.get()
  respond = () => status('SUCCESS')
  watcher.watch('task_1')
  await pass(100)
  expect(before.size).toBe(0)
  expect(watcher.states.get()).not.toBe(before)
})
