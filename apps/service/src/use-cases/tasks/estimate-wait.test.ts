import { expect, test } from 'vitest'
import type { BacklogState } from '../../ports/task-store.ts'
import { estimateWait } from './estimate-wait.ts'

/** Two workers were busy for a minute with tasks of a second, each as fast as estimated. */
const BUSY: BacklogState = {
  waiting: new Map([['t', 60_000]]),
  tasks: 60,
  seconds: 60,
  endedCost: 120_000,
  running: 2,
  runningCost: 2000,
  atOncePerTenant: Infinity,
}

const wait = (change: Partial<BacklogState>, tenant = 't'): number => estimateWait({ ...BUSY, ...change }, tenant)

test('a wait is the cost before a task, at the measured speed', () => {
  expect(wait({})).toBe(30)
  expect(wait({ endedCost: 30_000 })).toBe(120)
})

test('of other tenants, as much work counts as of the own', () => {
  const waiting = new Map([
    ['t', 60_000],
    ['more', 600_000],
    ['less', 20_000],
  ])
  expect(wait({ waiting })).toBe((60 + 60 + 20) / 2)
  expect(wait({ waiting }, 'new')).toBe(0)
})

test('a queue of two seconds tells nothing', () => {
  expect(wait({ seconds: 1, endedCost: 0 })).toBe(0)
})

test('long tasks that had no time to end count as if they took their estimated time', () => {
  const long = { waiting: new Map([['t', 1_200_000]]), tasks: 10, running: 4, runningCost: 480_000, endedCost: 0 }
  expect(wait({ ...long, seconds: 2 })).toBeCloseTo(300, -1)
  expect(wait({ ...long, seconds: 60 })).toBeLessThan(800)
  // One short task in between says nothing about the long ones.
  expect(wait({ ...long, seconds: 60, endedCost: 1000 })).toBeLessThan(800)
})

test('workers that end nothing are slow: a wait is as long for each task as the oldest has waited', () => {
  expect(wait({ endedCost: 0 })).toBeCloseTo(60 * 60)
  expect(wait({ endedCost: 0, running: 0, runningCost: 0 })).toBeCloseTo(60 * 60)
})

test('a tenant that may use half of the workers waits twice as long', () => {
  expect(wait({ atOncePerTenant: 1 })).toBe(60)
  expect(wait({ atOncePerTenant: 2 })).toBe(30)
})
