import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from './waits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('a sleep ends after its time and removes its listener', async () => {
  const { signal } = new AbortController()
  const asleep = sleep(1000, signal)
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([1, 1])
  vi.advanceTimersByTime(1000)
  await asleep
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
})

test('an aborted sleep rejects with the reason and removes its timer', async () => {
  const controller = new AbortController()
  const asleep = sleep(1000, controller.signal)
  controller.abort(new Error('left'))
  await expect(asleep).rejects.toThrow('left')
  await expect(sleep(1000, controller.signal)).rejects.toThrow('left')
  expect([vi.getTimerCount(), getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
})
