import { expect, test } from 'vitest'
import type { BacklogCounts } from '../../ports/task-store.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { createBacklog } from './backlog.ts'

/** A queue that has waited for a minute, in which 60 tasks ended. */
const SLOW: BacklogCounts = { own: 0, all: 0, tenants: 1, seconds: 60, ended: 60 }

function backlogOf(state: BacklogCounts & { own: number }, mostSeconds: number) {
  const clock = new ManualClock()
  let reads = 0
  const tasks = {
    async backlog() {
      reads += 1
      return { ...state }
    },
  }
  return { clock, state, reads: () => reads, ...createBacklog({ tasks, clock, mostSeconds }) }
}

test('a wait is the own tasks times the waiting tenants, at the speed of the last minute', async () => {
  const backlog = backlogOf({ ...SLOW, own: 30, all: 80, tenants: 2 }, 40)
  await expect(backlog.requireShort('t')).rejects.toMatchObject({
    status: 429,
    code: 'queue_too_long',
    retryAfterSeconds: 20,
  })
})

test('a wait within the limit, and any wait without one, is accepted', async () => {
  const state = { ...SLOW, own: 30, all: 80, tenants: 2 }
  await expect(backlogOf(state, 60).requireShort('t')).resolves.toBeUndefined()
  await expect(backlogOf(state, Infinity).requireShort('t')).resolves.toBeUndefined()
})

test('the interval of polls grows with the wait, up to a minute', async () => {
  const seconds = (waiting: number) => backlogOf({ ...SLOW, own: waiting, all: waiting }, Infinity).pollSeconds('t')
  expect([await seconds(0), await seconds(5), await seconds(100), await seconds(10_000)]).toEqual([1, 1, 10, 60])
})

test('an estimate is read again after some seconds', async () => {
  const backlog = backlogOf({ ...SLOW, own: 100, all: 200 }, Infinity)
  expect(await backlog.pollSeconds('t')).toBe(10)
  backlog.state.own = 200
  expect([await backlog.pollSeconds('t'), backlog.reads()]).toEqual([10, 1])
  await backlog.clock.pass(5000)
  expect([await backlog.pollSeconds('t'), backlog.reads()]).toEqual([20, 2])
})

test('other tenants count as far as they have tasks, and a young queue does not count', async () => {
  const seconds = (state: Partial<BacklogCounts>) =>
    backlogOf({ ...SLOW, own: 100, all: 120, tenants: 3, ...state }, Infinity).pollSeconds('t')
  expect([await seconds({}), await seconds({ seconds: 1, ended: 0 }), await seconds({ ended: 0 })]).toEqual([12, 1, 60])
})
