import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { expect, test } from 'vitest'
import type { WorkClass } from '../../domain/task-kinds.ts'
import type { BacklogState } from '../../ports/task-store.ts'
import { createBacklog, estimateWait } from './backlog.ts'

/** A queue of speech of this many seconds for one worker, beside an idle recognition. */
function backlogOf(seconds: number, mostSeconds: number) {
  const clock = new ManualClock()
  const queue = { seconds, reads: 0, fails: false }
  const rest = { seconds: 60, endedCost: 60_000, running: 1, runningCost: 1000, atOncePerTenant: Infinity }
  const tasks = {
    async backlog(workClass: WorkClass): Promise<BacklogState> {
      queue.reads += 1
      if (queue.fails) throw new Error('No database')
      const cost = workClass === 'speech' ? 1000 * queue.seconds : 0
      return { ...rest, waiting: new Map([['t', cost]]), tasks: queue.seconds }
    },
  }
  const backlog = createBacklog({ tasks, clock, mostSeconds })
  return { clock, queue, backlog, poll: () => backlog.pollSeconds('t', 'audio.speech') }
}

test('a wait over the limit is refused, with the time until it is short enough', async () => {
  const { backlog } = backlogOf(60, 40)
  await expect(backlog.requireShort('t', 'audio.speech')).rejects.toMatchObject({
    status: 429,
    code: 'queue_too_long',
    retryAfterSeconds: 20,
  })
})

test('a wait within the limit, any wait without one, and work of the other work class is accepted', async () => {
  await expect(backlogOf(60, 60).backlog.requireShort('t', 'audio.speech')).resolves.toBeUndefined()
  await expect(backlogOf(60, Infinity).backlog.requireShort('t', 'audio.speech')).resolves.toBeUndefined()
  await expect(backlogOf(60, 1).backlog.requireShort('t', 'audio.transcription')).resolves.toBeUndefined()
})

test('the interval of polls grows with the wait, up to a minute', async () => {
  const seconds = [0, 5, 100, 10_000].map((queued) => backlogOf(queued, Infinity).poll())
  expect(await Promise.all(seconds)).toEqual([1, 1, 10, 60])
})

test('a work class is read again after some seconds, or when a reading failed', async () => {
  const { clock, queue, poll } = backlogOf(100, Infinity)
  expect(await poll()).toBe(10)
  queue.seconds = 200
  expect([await poll(), queue.reads]).toEqual([10, 1])
  await clock.pass(5000)
  expect([await poll(), queue.reads]).toEqual([20, 2])
  await clock.pass(5000)
  queue.fails = true
  expect([await poll(), await poll(), queue.reads]).toEqual([1, 1, 4])
})

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
