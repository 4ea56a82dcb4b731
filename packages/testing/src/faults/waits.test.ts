import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from './waits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('a sleep ends after its time, also with fake timers, and removes its listener', async () => {
  const { signal } = new AbortController()
  const asleep = sleep(10, signal)
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 1])
  await asleep
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an aborted sleep rejects with the reason and removes its listener', async () => {
  const controller = new AbortController()
  const asleep = sleep(100_000, controller.signal)
  controller.abort(new Error('left'))
  await expect(asleep).rejects.toThrow('left')
  await expect(sleep(100_000, controller.signal)).rejects.toThrow('left')
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})
