import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { n8nClock } from '../nodes/SvcAudio/client/audio-client.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('a timer runs once, after its time', async () => {
  const run = vi.fn<() => void>()
  n8nClock.setTimer(1000, run)
  await vi.advanceTimersByTimeAsync(999)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(5000)
  expect(run).toHaveBeenCalledTimes(1)
})

test('a timer that is taken back never runs and leaves nothing behind', async () => {
  const run = vi.fn<() => void>()
  n8nClock.setTimer(1000, run)()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(5000)
  expect(run).not.toHaveBeenCalled()
})

test('a delay of months does not run at once', async () => {
  const run = vi.fn<() => void>()
  const takeBack = n8nClock.setTimer(90 * 24 * 60 * 60 * 1000, run)
  await vi.advanceTimersByTimeAsync(1000)
  expect(run).not.toHaveBeenCalled()
  takeBack()
})
