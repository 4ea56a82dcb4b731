import type { Task } from '@svc-audio/core/pure'
import { describe, expect, test } from 'vitest'
import { addEntry, errorOf, isEnded, MAX_ENTRIES, phaseOf, type TaskEntry } from './task-entry.ts'

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
