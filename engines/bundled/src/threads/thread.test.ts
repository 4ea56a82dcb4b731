import { expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { Watchdog } from './thread.ts'

function setUp(patience = 1000) {
  const clock = new ManualClock()
  const barks: number[] = []
  const started = clock.now()
  const watchdog = new Watchdog(() => barks.push(clock.now() - started), { clock, patience })
  return { clock, barks, watchdog }
}

test('silence is noticed once, at the deadline', async () => {
  const { clock, barks, watchdog } = setUp()
  watchdog.watch()
  await clock.pass(999)
  expect(barks).toEqual([])
  await clock.pass(10_000)
  expect(barks).toEqual([1000])
  expect(clock.timers).toBe(0)
})

test('a sign of life restarts the time', async () => {
  const { clock, barks, watchdog } = setUp()
  watchdog.watch()
  for (let sign = 0; sign < 5; sign += 1) {
    await clock.pass(900)
    watchdog.watch()
  }
  await clock.pass(999)
  expect(barks).toEqual([])
  await clock.pass(1)
  expect(barks).toEqual([5500])
})

test('a thread without work is not watched, and no timer is left', async () => {
  const { clock, barks, watchdog } = setUp()
  watchdog.watch()
  watchdog.rest()
  expect(clock.timers).toBe(0)
  await clock.pass(10_000)
  expect(barks).toEqual([])
})

test('long work has a longer deadline', async () => {
  const { clock, barks, watchdog } = setUp()
  watchdog.watch(500)
  await clock.pass(1499)
  expect(barks).toEqual([])
  await clock.pass(1)
  expect(barks).toEqual([1500])
})

test('a blocked main thread, which reads no response, does not count as the worker’s silence', () => {
  let timer: (() => void) | undefined
  const clock = { now: () => 0, setTimer: (_: number, run: () => void) => ((timer = run), () => undefined) }
  const barks: string[] = []
  const watchdog = new Watchdog(() => barks.push('silence'), { clock })
  watchdog.watch()
  // An hour later all timers are due, and the response is read after them.
  timer?.()
  watchdog.watch()
  expect(barks).toEqual([])
})

test('time in which the thread waits for a processor does not count, except in the first part', async () => {
  let share = 0.1
  const clock = new ManualClock()
  const started = clock.now()
  const barks: number[] = []
  const watchdog = new Watchdog(() => barks.push(clock.now() - started), { clock, patience: 1000, share: () => share })
  watchdog.watch()
  await clock.pass(250 + 20 * 250)
  expect(barks).toEqual([])
  share = 1
  await clock.pass(250)
  expect(barks).toEqual([5500])
})

test('a thread that is given nothing is never silent', async () => {
  const clock = new ManualClock()
  const barks: string[] = []
  const watchdog = new Watchdog(() => barks.push('silence'), { clock, patience: 1000, share: () => 0 })
  watchdog.watch()
  await clock.pass(3_600_000)
  expect(barks).toEqual([])
})
