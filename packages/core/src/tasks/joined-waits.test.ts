import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { settled } from '../../test/support/manual-clock.ts'
import { scriptedTasks, task, watchPromise } from '../../test/support/scripted-tasks.ts'
import type { Task } from '../wire/tasks.ts'

const PENDING = task('t', 'PENDING', { retry_after: 10 })
const DONE = task('t', 'SUCCESS')

describe('waits for the same task', () => {
  test('share each read and its outcome', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [PENDING, DONE])
    const waits = [waiter.wait('t'), waiter.wait('t')]
    await clock.advance(4000)
    waits.push(waiter.wait('t'))
    await clock.advance(6000)
    expect(await Promise.all(waits)).toEqual([DONE, DONE, DONE])
    expect(times()).toEqual([0, 10_000])
  })

  test('have each their own signal and timeout', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [PENDING, DONE])
    const caller = new AbortController()
    const aborted = watchPromise(waiter.wait('t', { signal: caller.signal }))
    const late = watchPromise(waiter.wait('t', { timeout: 50 }))
    const patient = watchPromise(waiter.wait('t', { timeout: 10_001 }))
    await clock.advance(49)
    caller.abort('mine')
    await clock.advance(0)
    expect([aborted.value, late.state, patient.state]).toEqual(['mine', 'pending', 'pending'])
    await clock.advance(1)
    expect([late.value, patient.state]).toMatchObject([{ name: 'TaskTimeoutError' }, 'pending'])
    await clock.advance(9950)
    expect(patient.value).toBe(DONE)
    expect([reads.length, clock.timers()]).toEqual([2, 0])
  })

  test('share the read in flight until the last wait ends', async () => {
    const { waiter, reads } = scriptedTasks(() => [undefined])
    const [first, last] = [new AbortController(), new AbortController()]
    const waits = [first, last].map(({ signal }) => rejection(waiter.wait('t', { signal })))
    await settled()
    first.abort('one')
    expect(reads[0]?.signal.aborted).toBe(false)
    last.abort('two')
    expect(reads[0]?.signal.aborted).toBe(true)
    expect(await Promise.all(waits)).toEqual(['one', 'two'])
  })

  test('a wait that begins after the last one ended gets a separate read', async () => {
    const { waiter, reads } = scriptedTasks(() => [undefined])
    const caller = new AbortController()
    const left = rejection(waiter.wait('t', { signal: caller.signal }))
    await settled()
    caller.abort('left')
    const wait = watchPromise(waiter.wait('t'))
    await settled()
    // A response that nobody waits for any more is no news.
    reads[0]?.answer(task('t', 'FAILED'))
    await left
    expect(wait.state).toBe('pending')
    reads[1]?.answer(DONE)
    await expect.poll(() => wait.value).toBe(DONE)
  })

  test('a read that does not heed its abort changes nothing when it is answered at last', async () => {
    let answer: (late: Task) => void = () => {}
    const read = (): Promise<Task> => new Promise((resolve) => (answer = resolve))
    const { waiter, clock } = scriptedTasks(() => [], { read })
    const caller = new AbortController()
    const left = rejection(waiter.wait('t', { signal: caller.signal }))
    await settled()
    caller.abort('left')
    expect(await left).toBe('left')
    answer(PENDING)
    await clock.advance(0)
    expect(clock.timers()).toBe(0)
  })

  test('take the shortest pollInterval', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [task('t', 'PENDING')])
    void rejection(waiter.wait('t', { pollInterval: 900 }))
    void rejection(waiter.wait('t', { pollInterval: 300 }))
    void rejection(waiter.wait('t'))
    await clock.advance(900)
    expect(times()).toEqual([0, 300, 600, 900])
  })

  test('take the latest notBefore, until the task has been read', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [task('t', 'PENDING', { retry_after: 1 })])
    void rejection(waiter.wait('t', { notBefore: 1 }))
    void rejection(waiter.wait('t', { notBefore: 2 }))
    void rejection(waiter.wait('t'))
    await clock.advance(2000)
    void rejection(waiter.wait('t', { notBefore: 50 }))
    await clock.advance(1000)
    expect(times()).toEqual([2000, 3000])
  })
})

describe('onUpdate', () => {
  test('receives each read, also the last one, before the wait resolves', async () => {
    const { waiter, clock } = scriptedTasks(() => [PENDING, PENDING, DONE])
    const heard: unknown[] = []
    const wait = waiter.wait('t', { onUpdate: (one) => heard.push(one) }).then(() => heard.push('resolved'))
    await clock.advance(20_000)
    await wait
    expect(heard).toEqual([PENDING, PENDING, DONE, 'resolved'])
  })

  test('ends only its own wait if it throws', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [PENDING, DONE])
    const mistake = new Error('mistake of the caller')
    const own = watchPromise(
      waiter.wait('t', {
        onUpdate: () => {
          throw mistake
        },
      }),
    )
    const other = watchPromise(waiter.wait('t'))
    await clock.advance(0)
    expect([own.value, other.state]).toEqual([mistake, 'pending'])
    await clock.advance(10_000)
    expect([other.value, reads.length]).toEqual([DONE, 2])
  })

  test('may end another wait, which then gets no further update', async () => {
    const { waiter, clock } = scriptedTasks(() => [PENDING])
    const other = new AbortController()
    const heard: string[] = []
    const first = watchPromise(waiter.wait('t', { onUpdate: () => other.abort('by the first') }))
    const second = watchPromise(waiter.wait('t', { signal: other.signal, onUpdate: ({ id }) => heard.push(id) }))
    await clock.advance(0)
    expect([first.state, second.value, heard]).toEqual(['pending', 'by the first', []])
    waiter.close('over')
    await clock.advance(0)
    expect(first.value).toBe('over')
  })

  test('may wait for the same task again: an ended task is read again', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [DONE])
    const again: Promise<unknown>[] = []
    const onUpdate = (): void => void again.push(waiter.wait('t'))
    await Promise.all([waiter.wait('t', { onUpdate }), clock.advance(0)])
    expect(await Promise.all(again)).toEqual([DONE])
    expect(reads).toHaveLength(2)
  })

  test('may close the waiter', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [PENDING])
    const wait = watchPromise(waiter.wait('t', { onUpdate: () => waiter.close('closed') }))
    await clock.advance(60_000)
    expect([wait.value, reads.length, clock.timers()]).toEqual(['closed', 1, 0])
  })
})

describe('notify', () => {
  test('reads at once, whatever the interval', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [PENDING, DONE])
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(1000)
    waiter.notify('t')
    await clock.advance(0)
    expect(wait.value).toBe(DONE)
    expect([times(), clock.timers()]).toEqual([[0, 1000], 0])
  })

  test('during a read reads again: the first read may be too early', async () => {
    const { waiter, clock, reads, times } = scriptedTasks(() => [undefined, PENDING, DONE])
    const wait = watchPromise(waiter.wait('t'))
    await settled()
    waiter.notify('t')
    waiter.notify('t')
    await clock.advance(7)
    reads[0]?.answer(PENDING)
    await clock.advance(0)
    expect(times()).toEqual([0, 7])
    await clock.advance(10_000)
    expect([wait.value, times()]).toEqual([DONE, [0, 7, 10_007]])
  })

  test('that finds the task over lets a new wait read at once', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [PENDING, DONE])
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(1)
    waiter.notify('t')
    await clock.advance(0)
    expect(wait.value).toBe(DONE)
    await waiter.wait('t')
    expect(times()).toEqual([0, 1, 1])
  })

  test('of a task without a wait reads nothing, and lets the next wait read at once', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [PENDING, DONE])
    const left = rejection(waiter.wait('t', { timeout: 5 }))
    await clock.advance(5)
    await left
    waiter.notify('t')
    waiter.notify('unknown')
    await clock.advance(5)
    expect(times()).toEqual([0])
    await waiter.wait('t')
    expect(times()).toEqual([0, 10])
  })
})

describe('close', () => {
  test('ends every wait with its reason, and the reads in flight', async () => {
    const { waiter, clock, reads } = scriptedTasks((id) => [id === 'reading' ? undefined : PENDING])
    const waits = ['reading', 'sleeping', 'reading'].map((id) => watchPromise(waiter.wait(id, { timeout: 9000 })))
    await clock.advance(1)
    const reason = new Error('closed')
    waiter.close(reason)
    await clock.advance(60_000)
    expect(waits.map(({ value }) => value)).toEqual([reason, reason, reason])
    expect(reads.map(({ id, signal }) => [id, signal.aborted])).toEqual([
      ['reading', true],
      ['sleeping', false],
    ])
    expect(clock.timers()).toBe(0)
  })

  test('works without any wait, and a later wait works', async () => {
    const { waiter } = scriptedTasks(() => [DONE])
    waiter.close('nothing')
    expect(await waiter.wait('t')).toBe(DONE)
  })
})
