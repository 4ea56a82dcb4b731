import { beforeEach, expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { Progress } from './watched-services.ts'

const PATIENCE = 1000
let clock: ManualClock
let stalls: number
const start = () => new Progress({ clock, patience: PATIENCE, onStall: () => void (stalls += 1) })
beforeEach(() => {
  clock = new ManualClock()
  stalls = 0
})

test('work without progress stalls once, after the patience', async () => {
  start()
  await clock.pass(PATIENCE - 1)
  expect(stalls).toBe(0)
  await clock.pass(1)
  expect(stalls).toBe(1)
  await clock.pass(10 * PATIENCE)
  expect([stalls, clock.timers]).toEqual([1, 0])
})

test('each progress restarts the time, and a stall is noticed at most a quarter late', async () => {
  const progress = start()
  for (let n = 0; n < 20; n += 1) {
    await clock.pass(PATIENCE / 2 + 10)
    progress.advance()
  }
  expect(stalls).toBe(0)
  await clock.pass(PATIENCE * 1.25)
  expect(stalls).toBe(1)
})

test('an expensive step has more time, which a cheaper one beside it does not take away', async () => {
  const progress = start()
  progress.advance(5000)
  progress.advance()
  await clock.pass(PATIENCE + 4999)
  expect(stalls).toBe(0)
  await clock.pass(1)
  expect(stalls).toBe(1)
})

test('waits do not count, and the time begins again after the last of them', async () => {
  const progress = start()
  const [one, two] = [progress.wait(), progress.wait()]
  await clock.pass(100 * PATIENCE)
  one()
  one()
  await clock.pass(100 * PATIENCE)
  two()
  await clock.pass(PATIENCE - 1)
  expect(stalls).toBe(0)
  await clock.pass(PATIENCE)
  expect(stalls).toBe(1)
})

test('a pause of the whole process is not a stall: its timer fires late, once', () => {
  const timers: (() => void)[] = []
  const paused = { now: () => 0, setTimer: (_milliseconds: number, run: () => void) => (timers.push(run), () => {}) }
  const progress = new Progress({ clock: paused, patience: PATIENCE, onStall: () => void (stalls += 1) })
  timers.shift()?.()
  progress.advance()
  for (let n = 0; n < 3; n += 1) timers.shift()?.()
  expect(stalls).toBe(0)
  timers.shift()?.()
  expect(stalls).toBe(1)
})

test('a stopped watch leaves no timer', () => {
  start().stop()
  expect(clock.timers).toBe(0)
})

test('time in which the engines wait for a processor is no stall', async () => {
  let share = 0
  const progress = new Progress({ clock, patience: PATIENCE, share: () => share, onStall: () => void (stalls += 1) })
  await clock.pass(100 * PATIENCE)
  expect(stalls).toBe(0)
  share = 0.5
  await clock.pass(2 * PATIENCE)
  expect(stalls).toBe(1)
  progress.stop()
})
