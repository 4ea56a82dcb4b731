import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { listAll, rejection } from '../../test/support/clients.ts'
import { settled } from '../../test/support/manual-clock.ts'
import { scriptedTasks, task, watchPromise } from '../../test/support/scripted-tasks.ts'
import { ConnectionError } from '../errors.ts'

/** Tasks whose id says after how many seconds they are over, and how: `3`, or `3!` for a failure. */
const byId = (id: string) => [
  task(id, 'PENDING', { retry_after: Number.parseInt(id, 10) }),
  task(id, id.endsWith('!') ? 'FAILED' : 'SUCCESS'),
]

describe('waitAll', () => {
  test('gives the tasks in the order of their ids, one that is named twice too', async () => {
    const { waiter, clock, reads } = scriptedTasks(byId)
    const all = waiter.waitAll(['3', '1', '2', '1'])
    await clock.advance(3000)
    expect((await all).map(({ id }) => id)).toEqual(['3', '1', '2', '1'])
    expect([reads.length, clock.timers()]).toEqual([6, 0])
  })

  test('rejects with the first failure, and its other waits end, but not those of others', async () => {
    const { waiter, clock, times } = scriptedTasks(byId)
    const caller = new AbortController()
    const all = rejection(waiter.waitAll(['5', '1!', '9'], { signal: caller.signal }))
    const other = watchPromise(waiter.wait('5'))
    await clock.advance(1000)
    expect(await all).toMatchObject({ name: 'TaskFailedError', taskId: '1!' })
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    await clock.advance(60_000)
    expect([other.state, times('9')]).toEqual(['resolved', [0]])
  })

  test('times out as one', async () => {
    const { waiter, clock } = scriptedTasks(byId)
    const all = rejection(waiter.waitAll(['2', '8', '9'], { timeout: 4000 }))
    await clock.advance(4000)
    expect(await all).toMatchObject({ name: 'TaskTimeoutError', taskId: '8' })
    expect(clock.timers()).toBe(0)
  })

  test('rejects with the reason of an abort, before and during', async () => {
    const { waiter, clock, reads } = scriptedTasks(byId)
    expect(await rejection(waiter.waitAll(['1'], { signal: AbortSignal.abort('early') }))).toBe('early')
    expect(reads).toHaveLength(0)
    const caller = new AbortController()
    const all = rejection(waiter.waitAll(['1', '2'], { signal: caller.signal }))
    caller.abort('late')
    expect(await all).toBe('late')
    expect(clock.timers()).toBe(0)
  })

  test('of nothing is nothing', async () => {
    expect(await scriptedTasks(byId).waiter.waitAll([])).toEqual([])
  })
})

describe('asCompleted', () => {
  test('gives each outcome as it comes, failures too', async () => {
    const { waiter, clock } = scriptedTasks(byId)
    const outcomes = listAll(waiter.asCompleted(['3', '1!', '2']))
    await clock.advance(3000)
    expect(await outcomes).toMatchObject([
      { id: '1!', error: { name: 'TaskFailedError' } },
      { id: '2', task: { status: 'SUCCESS' } },
      { id: '3', task: { status: 'SUCCESS' } },
    ])
    expect(clock.timers()).toBe(0)
  })

  test('counts a timeout and a task that cannot be read as outcomes', async () => {
    const lost = new ConnectionError('m')
    const { waiter, clock } = scriptedTasks((id) => (id === 'lost' ? [lost] : byId(id)))
    const outcomes = listAll(waiter.asCompleted(['9', 'lost', '1'], { timeout: 8000 }))
    await clock.advance(8000)
    expect(await outcomes).toMatchObject([
      { id: 'lost', error: lost },
      { id: '1', task: { id: '1' } },
      { id: '9', error: { name: 'TaskTimeoutError', taskId: '9' } },
    ])
  })

  test('reads nothing before it is iterated', async () => {
    const { waiter, reads, clock } = scriptedTasks(byId)
    const outcomes = waiter.asCompleted(['1', '2'])
    await settled()
    expect(reads).toHaveLength(0)
    await outcomes.return()
    expect(await listAll(outcomes)).toEqual([])
    expect([reads.length, clock.timers()]).toEqual([0, 0])
  })

  test('a break ends its waits', async () => {
    const { waiter, clock, times } = scriptedTasks(byId)
    const caller = new AbortController()
    const reading = (async () => {
      for await (const { id } of waiter.asCompleted(['5', '1', '9'], { signal: caller.signal })) return id
      return undefined
    })()
    await clock.advance(1000)
    expect(await reading).toBe('1')
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    expect(clock.timers()).toBe(0)
    await clock.advance(60_000)
    expect(times('5')).toEqual([0])
  })

  test('a return during an awaited outcome ends its waits and that await', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [undefined])
    const outcomes = waiter.asCompleted(['1', '2'])
    const waiting = outcomes.next()
    await settled()
    await outcomes.return()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(reads.every(({ signal }) => signal.aborted)).toBe(true)
    expect(clock.timers()).toBe(0)
  })

  test('throws the reason of an abort, before and during', async () => {
    const { waiter, clock } = scriptedTasks(byId)
    expect(await rejection(listAll(waiter.asCompleted(['1'], { signal: AbortSignal.abort('early') })))).toBe('early')
    const caller = new AbortController()
    const outcomes = rejection(listAll(waiter.asCompleted(['1', '9'], { signal: caller.signal })))
    await clock.advance(1000)
    caller.abort('late')
    expect(await outcomes).toBe('late')
    expect(clock.timers()).toBe(0)
  })

  test('refuses impossible options', async () => {
    const outcomes = scriptedTasks(byId).waiter.asCompleted(['1'], { timeout: 0 })
    expect(await rejection(listAll(outcomes))).toMatchObject({ name: 'ConfigurationError' })
  })

  test('later changes to the list of ids have no effect', async () => {
    const { waiter, clock } = scriptedTasks(byId)
    const ids = ['1', '2']
    const outcomes = waiter.asCompleted(ids)
    ids.length = 0
    const all = listAll(outcomes)
    await clock.advance(2000)
    expect((await all).map(({ id }) => id)).toEqual(['1', '2'])
  })
})

describe('2,000 waits', () => {
  const ids = Array.from({ length: 2000 }, (_, index) => `t${index}`)

  test('keep 32 reads in flight, those due first going first, with one timer', async () => {
    const { waiter, reads, clock } = scriptedTasks(() => [undefined, undefined])
    const waits = ids.map((id) => watchPromise(waiter.wait(id)))
    await settled()
    expect(reads.map(({ id }) => id)).toEqual(ids.slice(0, 32))
    expect(clock.timers()).toBe(0)
    const answerFrom = async (start: number, status: string): Promise<void> => {
      for (let answered = start; answered < start + 2000; answered += 1) {
        const read = reads[answered]
        if (read === undefined) throw new Error('a read is missing')
        read.answer(task(read.id, status, { retry_after: 5 }))
        if (reads.length === answered + 1) await settled()
      }
      await settled()
    }
    await answerFrom(0, 'PENDING')
    expect(reads.map(({ id }) => id)).toEqual(ids)
    expect(clock.timers()).toBe(1)
    await clock.advance(4999)
    expect(reads).toHaveLength(2000)
    await clock.advance(1)
    expect(reads).toHaveLength(2032)
    await answerFrom(2000, 'SUCCESS')
    expect(waits.every(({ state }) => state === 'resolved')).toBe(true)
    expect([reads.length, clock.timers()]).toEqual([4000, 0])
  })

  test('of one task are one read', async () => {
    const { waiter, reads } = scriptedTasks(() => [task('t', 'SUCCESS')])
    await waiter.waitAll(ids.map(() => 't'))
    expect(reads).toHaveLength(1)
  })
})
