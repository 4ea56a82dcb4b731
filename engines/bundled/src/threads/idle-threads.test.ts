import { expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { IdleThreads, type IdleThreadsOptions } from './idle-threads.ts'

interface FakeThread {
  readonly name: string
  alive: boolean
}

const thread = (name: string): FakeThread => ({ name, alive: true })

function setUp(options: IdleThreadsOptions = {}) {
  const clock = new ManualClock()
  const gone: string[] = []
  const idle = new IdleThreads<FakeThread>(({ name }) => gone.push(name), { clock, ...options })
  return { clock, gone, idle }
}

test('threads take turns', () => {
  const { idle } = setUp()
  for (const name of ['a', 'b', 'c']) idle.add(thread(name))
  expect([idle.take()?.name, idle.take()?.name]).toEqual(['a', 'b'])
  idle.add(thread('a'))
  expect([idle.take()?.name, idle.take()?.name, idle.take()]).toEqual(['c', 'a', undefined])
})

test('threads idle for a minute are released, each after its minute', async () => {
  const { clock, gone, idle } = setUp()
  idle.add(thread('a'))
  await clock.pass(30_000)
  idle.add(thread('b'))
  await clock.pass(29_999)
  expect(gone).toEqual([])
  await clock.pass(1)
  expect(gone).toEqual(['a'])
  await clock.pass(29_999)
  expect(gone).toEqual(['a'])
  await clock.pass(1)
  expect(gone).toEqual(['a', 'b'])
  expect(idle.take()).toBeUndefined()
  expect(clock.timers).toBe(0)
})

test('a released thread is not taken, and a taken one is not released', async () => {
  const { clock, gone, idle } = setUp({ idleTime: 1000 })
  idle.add(thread('a'))
  expect(idle.take()?.name).toBe('a')
  await clock.pass(10_000)
  expect([gone, clock.timers]).toEqual([[], 0])
  idle.add(thread('a'))
  await clock.pass(1000)
  expect(gone).toEqual(['a'])
  expect(idle.take()).toBeUndefined()
})

test('of two threads used in turn, one at a time, one is released', async () => {
  const { clock, gone, idle } = setUp()
  idle.add(thread('a'))
  idle.add(thread('b'))
  for (let second = 0; second < 600; second += 20) {
    await clock.pass(20_000)
    const taken = idle.take()
    if (taken !== undefined) idle.add(taken)
  }
  expect(gone).toHaveLength(1)
  expect(idle.take()?.alive).toBe(true)
})

test('two threads used at the same time both stay', async () => {
  const { clock, gone, idle } = setUp()
  idle.add(thread('a'))
  idle.add(thread('b'))
  for (let second = 0; second < 600; second += 20) {
    await clock.pass(20_000)
    for (const taken of [idle.take(), idle.take()]) if (taken !== undefined) idle.add(taken)
  }
  expect(gone).toEqual([])
})

test('`keep` threads stay for ever', async () => {
  const { clock, gone, idle } = setUp({ keep: 1 })
  idle.add(thread('a'))
  expect(clock.timers).toBe(0)
  await clock.pass(3_600_000)
  idle.add(thread('b'))
  await clock.pass(59_999)
  expect(gone).toEqual([])
  await clock.pass(3_600_000)
  expect(gone).toEqual(['a'])
  expect(idle.take()?.name).toBe('b')
})

test('a thread lost in the meantime is not taken', () => {
  const { clock, gone, idle } = setUp()
  const lost = thread('lost')
  idle.add(lost)
  idle.add(thread('next'))
  lost.alive = false
  expect(idle.take()?.name).toBe('next')
  expect(gone).toEqual(['lost'])
  expect([idle.take(), clock.timers]).toEqual([undefined, 0])
})

test('all can be released at once, and no timer is left', () => {
  const { clock, gone, idle } = setUp({ keep: 1 })
  for (const name of ['a', 'b', 'c']) idle.add(thread(name))
  expect(clock.timers).toBe(2)
  idle.clear()
  expect([gone, clock.timers, idle.take()]).toEqual([['a', 'b', 'c'], 0, undefined])
})

test('a thread that was lost does not count as the one to release', () => {
  const { clock, gone, idle } = setUp({ keep: 1 })
  const lost = thread('a')
  for (const one of [lost, thread('b'), thread('c')]) idle.add(one)
  lost.alive = false
  expect([idle.releaseOne(), gone]).toEqual([true, ['a', 'b']])
  expect([idle.releaseOne(), gone]).toEqual([false, ['a', 'b']])
  expect([idle.take()?.name, clock.timers]).toEqual(['c', 0])
})
