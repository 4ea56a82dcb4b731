import { createFetchClient } from '@svc-audio/core/fetch'
import type { Task } from '@svc-audio/core/pure'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addEntry, errorOf, isEnded, MAX_ENTRIES, phaseOf, type TaskEntry, TaskWatcher } from './tasks.ts'

const WATCHED = { id: 'task_1', object: 'audio.speech', created_at: 1, updated_at: 1 }

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

const status = (name: string, more: object = {}): Response => Response.json({ ...WATCHED, status: name, ...more })
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)
const watchedPhase = (id = 'task_1'): string => phaseOf(watcher.of(id))

test('a task is read until it has ended, and every state is shown', async () => {
  const states = ['PENDING', 'PROCESSING', 'SUCCESS']
  const seen: string[] = []
  watcher.states.subscribe(() => seen.push(watchedPhase()))
  respond = () => status(states.shift() ?? 'FAILED')
  watcher.watch('task_1')
  expect(watchedPhase()).toBe('unread')
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
  expect(watchedPhase()).toBe('failed')
  expect(watcher.of('task_1').failure).toBeUndefined()
})

test('a task that the service does not know is gone', async () => {
  respond = () => Response.json({ error: { code: 'task_not_found', message: 'Unknown task' } }, { status: 404 })
  watcher.watch('task_1')
  await pass(1000)
  expect(watchedPhase()).toBe('gone')
  watcher.watch('task_1')
  await pass(1000)
  expect(asked).toHaveLength(1)
})

test('several tasks are followed side by side', async () => {
  respond = (path) =>
    path === 'task_1' ? status('SUCCESS') : Response.json({ ...WATCHED, id: path, status: 'PENDING' })
  watcher.watch('task_1')
  watcher.watch('task_2')
  await pass(100)
  expect([watchedPhase('task_1'), watchedPhase('task_2')]).toEqual(['done', 'queued'])
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
  expect(watchedPhase()).toBe('working')
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
  expect(watchedPhase()).toBe('done')
})

test('the states are replaced, not changed: a subscriber may compare them', async () => {
  const before = watcher.states.get()
  respond = () => status('SUCCESS')
  watcher.watch('task_1')
  await pass(100)
  expect(before.size).toBe(0)
  expect(watcher.states.get()).not.toBe(before)
})

const TASK: Task = { id: 'task_1', object: 'audio.speech', status: 'PENDING', created_at: 1, updated_at: 1 }

describe('the phase of a task', () => {
  test.each([
    ['unread', {}],
    ['queued', { task: TASK }],
    ['working', { task: { ...TASK, status: 'PROCESSING' } }],
    ['done', { task: { ...TASK, status: 'SUCCESS' } }],
    ['failed', { task: { ...TASK, status: 'FAILED', error: { code: 'engine_failed' } } }],
    ['failed', { task: { ...TASK, status: 'FAILED' } }],
    ['cancelled', { task: { ...TASK, status: 'FAILED', error: { code: 'task_cancelled' } } }],
    ['gone', { failure: { message: 'Unknown.', code: 'task_not_found', requestId: undefined, lost: false } }],
    ['queued', { task: TASK, failure: { message: 'Lost.', code: undefined, requestId: undefined, lost: true } }],
  ] as const)('%s', (phase, state) => {
    expect(phaseOf(state)).toBe(phase)
  })

  test('an unknown state of a newer service is work that goes on', () => {
    const phase = phaseOf({ task: { ...TASK, status: 'RETRYING' } })
    expect(phase).toBe('working')
    expect(isEnded(phase)).toBe(false)
  })
})

test.each([
  [
    { code: 'a', message: 'b' },
    { code: 'a', message: 'b' },
  ],
  ['no voice', { message: 'no voice' }],
  [{ code: 7 }, {}],
  [null, {}],
  [undefined, {}],
])('the error %j of a task is read as %j', (error, expected) => {
  expect(errorOf({ ...TASK, error })).toEqual(expected)
})

test('a new task comes first, once, and the oldest leaves a full list', () => {
  const entry = (id: string): TaskEntry => ({ id, title: id, createdAt: 0, webhook: false })
  const full = Array.from({ length: MAX_ENTRIES }, (_, index) => entry(`task_${index}`))
  const added = addEntry(full, entry('new'))
  expect(added).toHaveLength(MAX_ENTRIES)
  expect(added[0]?.id).toBe('new')
  expect(added.at(-1)?.id).toBe(`task_${MAX_ENTRIES - 2}`)
  expect(addEntry([entry('a'), entry('b')], entry('b')).map(({ id }) => id)).toEqual(['b', 'a'])
})
