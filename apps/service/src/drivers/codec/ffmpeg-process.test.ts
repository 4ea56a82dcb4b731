import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { BusyClock } from './ffmpeg-process.ts'

const spent = vi.fn<() => void>()

beforeEach(() => {
  vi.useFakeTimers()
  spent.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

test('time counts while the reader waits', () => {
  const clock = new BusyClock(1000, spent)
  clock.readerWaits = true
  vi.advanceTimersByTime(999)
  expect(spent).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(spent).toHaveBeenCalledOnce()
})

test('time adds up over many waits, without the time between them', () => {
  const clock = new BusyClock(1000, spent)
  for (let wait = 0; wait < 9; wait += 1) {
    clock.readerWaits = true
    vi.advanceTimersByTime(100)
    clock.readerWaits = false
    vi.advanceTimersByTime(60_000)
  }
  expect(spent).not.toHaveBeenCalled()
  clock.readerWaits = true
  vi.advanceTimersByTime(100)
  expect(spent).toHaveBeenCalledOnce()
})

test('time does not count while the program itself waits for input', () => {
  const clock = new BusyClock(1000, spent)
  clock.awaitsInput = true
  clock.readerWaits = true
  vi.advanceTimersByTime(60_000)
  expect(spent).not.toHaveBeenCalled()
  clock.awaitsInput = false
  vi.advanceTimersByTime(1000)
  expect(spent).toHaveBeenCalledOnce()
})

test('a stopped clock leaves no timer', () => {
  const clock = new BusyClock(1000, spent)
  clock.readerWaits = true
  clock.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('time in which the program waits for a processor does not count', () => {
  let share = 0.25
  const clock = new BusyClock(1000, spent, () => share)
  clock.readerWaits = true
  vi.advanceTimersByTime(1000)
  expect(spent).not.toHaveBeenCalled()
  share = 1
  vi.advanceTimersByTime(749)
  expect(spent).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(spent).toHaveBeenCalledOnce()
})
