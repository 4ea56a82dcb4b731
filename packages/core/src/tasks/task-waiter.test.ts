import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { settled } from '../../test/support/manual-clock.ts'
import { scriptedTasks, task, watchPromise } from '../../test/support/scripted-tasks.ts'
import { ApiError, ConnectionError, StreamTruncatedError, TimeoutError } from '../errors.ts'

const DONE = task('t', 'SUCCESS', { url: 'https://example.com/a.mp3' })

describe('a wait reads at the pace of the server', () => {
  // rules: states.poll-interval, states.normal-path, task.retry-after, task.result-at-top-level
  test('at once, then after each retry_after, and resolves with the task and all its fields', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [
      task('t', 'PENDING', { retry_after: 2 }),
      task('t', 'PROCESSING', { retry_after: 30 }),
      DONE,
    ])
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(31_999)
    expect(times()).toEqual([0, 2000])
    await clock.advance(1)
    expect(times()).toEqual([0, 2000, 32_000])
    expect(wait).toEqual({ state: 'resolved', value: DONE })
    expect(clock.timers()).toBe(0)
  })

  test('with jitter later, never sooner', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [task('t', 'PENDING', { retry_after: 10 })], {
      random: () => 0.5,
    })
    void rejection(waiter.wait('t'))
    await clock.advance(22_000)
    expect(times()).toEqual([0, 11_000, 22_000])
  })

  // rules: task.retry-after
  test.each([[{}], [{ retry_after: 0 }], [{ retry_after: -3 }], [{ retry_after: 'soon' }]])(
    'with %j, which names no interval, at growing ones',
    async (more) => {
      const { waiter, clock, times } = scriptedTasks(() => [task('t', 'PENDING', more)])
      void rejection(waiter.wait('t'))
      await clock.advance(3000)
      expect(times()).toEqual([0, 500, 1250, 2375])
      await clock.advance(100_000)
      const last = times().slice(-2)
      expect((last[1] ?? 0) - (last[0] ?? 0)).toBe(10_000)
    },
  )

  test('pollInterval applies only without an interval of the server', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [
      task('t', 'PENDING'),
      task('t', 'PENDING', { retry_after: 5 }),
    ])
    void rejection(waiter.wait('t', { pollInterval: 70 }))
    await clock.advance(10_069)
    expect(times()).toEqual([0, 70, 5070])
  })

  // rules: creation.retry-after
  test('notBefore holds the first read back', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [DONE])
    const wait = watchPromise(waiter.wait('t', { notBefore: 3 }))
    await clock.advance(2999)
    expect(times()).toEqual([])
    await clock.advance(1)
    expect(times()).toEqual([3000])
    expect(wait.state).toBe('resolved')
  })

  test('a resumed wait reads no sooner than the last retry_after', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [task('t', 'PENDING', { retry_after: 60 }), DONE])
    const first = rejection(waiter.wait('t', { timeout: 5000 }))
    await clock.advance(5000)
    expect(await first).toMatchObject({ name: 'TaskTimeoutError', taskId: 't' })
    expect(clock.timers()).toBe(0)
    const second = watchPromise(waiter.wait('t'))
    await clock.advance(54_999)
    expect(times()).toEqual([0])
    await clock.advance(1)
    expect(second).toEqual({ state: 'resolved', value: DONE })
  })
})

describe('a wait ends', () => {
  // rules: states.pending-to-failed-open
  test('with TaskFailedError also straight from PENDING', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [
      task('t', 'PENDING', { retry_after: 1 }),
      task('t', 'FAILED', { error: { code: 'input_gone' } }),
    ])
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(1000)
    expect(wait).toMatchObject({ state: 'rejected', value: { name: 'TaskFailedError', code: 'input_gone' } })
    expect(reads).toHaveLength(2)
  })

  // rules: states.failed, task.error, errors.task-open
  test('with TaskFailedError, which has the unchanged error of the server', async () => {
    const error = { detail: [1, { deep: true }], error: { code: 'engine_failed', message: 'no engine, key sk-1' } }
    const failed = task('t', 'FAILED', { error })
    const { waiter } = scriptedTasks(() => [failed], { redact: (text) => text.replace('sk-1', '[key]') })
    const thrown = await rejection(waiter.wait('t'))
    expect(thrown).toMatchObject({ name: 'TaskFailedError', taskId: 't', code: 'engine_failed' })
    expect(thrown).toHaveProperty('task', failed)
    expect(thrown).toHaveProperty('error', error)
    expect(String(thrown)).toContain('no engine, key [key]')
  })

  // rules: errors.task-open
  test('with TaskFailedError also without any error', async () => {
    const { waiter } = scriptedTasks(() => [task('t', 'FAILED')])
    expect(await rejection(waiter.wait('t'))).toMatchObject({ name: 'TaskFailedError', error: undefined })
  })

  test('with TaskTimeoutError, which has the id and the last state of the task', async () => {
    const pending = task('t', 'PROCESSING', { retry_after: 60 })
    const { waiter, clock } = scriptedTasks(() => [pending])
    const wait = rejection(waiter.wait('t', { timeout: 1000 }))
    await clock.advance(1000)
    const error = await wait
    expect(error).toMatchObject({ name: 'TaskTimeoutError', taskId: 't', task: pending })
    expect(String(error)).toContain('1000 ms')
    expect(clock.timers()).toBe(0)
  })

  // rules: states.terminal
  test('on exactly SUCCESS and FAILED: any other word is not the end', async () => {
    const words = ['success', 'SUCCEEDED', 'CANCELLED', '', 'toString', 'SUCCESS']
    const { waiter, reads, clock } = scriptedTasks(() => words.map((word) => task('t', word, { retry_after: 1 })))
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(4999)
    expect(wait.state).toBe('pending')
    await clock.advance(1)
    expect([wait.state, reads.length]).toEqual(['resolved', 6])
  })

  test.each([[{}], [{ status: 1 }], [null], ['SUCCESS'], [[]], [undefined]])(
    'with ProtocolError on the response %j',
    async (answer) => {
      const { waiter, clock } = scriptedTasks(() => [], { read: async () => answer as never })
      expect(await rejection(waiter.wait('t'))).toMatchObject({ name: 'ProtocolError' })
      expect(clock.timers()).toBe(0)
    },
  )

  test.each([400, 401, 403, 404])('at once on status %i', async (status) => {
    const error = new ApiError('m', { status })
    const { waiter, clock, reads } = scriptedTasks(() => [error])
    expect(await rejection(waiter.wait('t'))).toBe(error)
    expect([reads.length, clock.timers()]).toEqual([1, 0])
  })

  test('with whatever else a read throws, even before it returns a promise', async () => {
    const mistake = new TypeError('mistake')
    const read = (): never => {
      throw mistake
    }
    expect(await rejection(scriptedTasks(() => [], { read }).waiter.wait('t'))).toBe(mistake)
  })
})

describe('a failure that passes', () => {
  const passing = [
    new ApiError('m', { status: 408 }),
    new ApiError('m', { status: 429 }),
    new ApiError('m', { status: 502 }),
    new ConnectionError('m'),
    new TimeoutError('headers', 'm'),
    new StreamTruncatedError('m', { bytes: 3 }),
  ]

  test('does not end the wait, nor do nine in a row', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => passing[index % passing.length])
    const script = [...nine, task('t', 'PENDING'), ...nine, DONE]
    const { waiter, clock } = scriptedTasks(() => script, { random: () => 0.999 })
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(600_000)
    expect(wait).toEqual({ state: 'resolved', value: DONE })
  })

  test('ends it with the last one when it comes ten times in a row, at growing intervals', async () => {
    const errors = Array.from({ length: 11 }, (_, index) => new ConnectionError(`failure ${index + 1}`))
    const { waiter, clock, times } = scriptedTasks(() => errors, { random: () => 1 })
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(600_000)
    expect(wait.value).toBe(errors[9])
    const gaps = times().map((at, index, all) => at - (all[index - 1] ?? 0))
    expect(gaps).toEqual([0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    expect(clock.timers()).toBe(0)
  })

  test('is not followed by a read sooner than its Retry-After', async () => {
    const { waiter, clock, times } = scriptedTasks(() => [new ApiError('m', { status: 429, retryAfter: 90 }), DONE])
    const wait = watchPromise(waiter.wait('t'))
    await clock.advance(89_999)
    expect(times()).toEqual([0])
    await clock.advance(1)
    expect(wait.state).toBe('resolved')
  })

  test('nor sooner than the retry_after of the last response', async () => {
    const script = [task('t', 'PENDING', { retry_after: 5 }), new ConnectionError('m'), DONE]
    const { waiter, clock, times } = scriptedTasks(() => script)
    await Promise.all([waiter.wait('t'), clock.advance(10_000)])
    expect(times()).toEqual([0, 5000, 10_000])
  })
})

describe('an abort', () => {
  test('between two reads ends the wait with its reason and removes timer and listener', async () => {
    const { waiter, clock, reads } = scriptedTasks(() => [task('t', 'PENDING', { retry_after: 60 })])
    const caller = new AbortController()
    const wait = rejection(waiter.wait('t', { signal: caller.signal, timeout: 99_000 }))
    await clock.advance(10)
    const reason = { mine: true }
    caller.abort(reason)
    expect(await wait).toBe(reason)
    expect(clock.timers()).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    await clock.advance(100_000)
    expect(reads).toHaveLength(1)
  })

  test('during a read ends that too', async () => {
    const { waiter, reads } = scriptedTasks(() => [undefined])
    const caller = new AbortController()
    const wait = rejection(waiter.wait('t', { signal: caller.signal }))
    await settled()
    expect(reads[0]?.signal.aborted).toBe(false)
    caller.abort(0)
    expect(await wait).toBe(0)
    expect(reads[0]?.signal.aborted).toBe(true)
  })

  test('before the wait reads nothing', async () => {
    const { waiter, reads } = scriptedTasks(() => [DONE])
    expect(await rejection(waiter.wait('t', { signal: AbortSignal.abort('early') }))).toBe('early')
    expect(reads).toHaveLength(0)
  })

  test('after the end does nothing, and a signal that lives on keeps no listener', async () => {
    const { waiter } = scriptedTasks(() => [DONE])
    const caller = new AbortController()
    await waiter.wait('t', { signal: caller.signal })
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    caller.abort()
    await settled()
  })
})

describe('impossible options are refused, and nothing is read', () => {
  test.each([0, -1, Number.NaN, '5'])('timeout %j', async (timeout) => {
    const { waiter, reads, clock } = scriptedTasks(() => [DONE])
    const error = await rejection(waiter.wait('t', { timeout: timeout as number }))
    expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('timeout') })
    expect([reads.length, clock.timers()]).toEqual([0, 0])
  })

  test.each([0, -1, Number.NaN, Infinity, '5'])('pollInterval %j', async (pollInterval) => {
    const { waiter } = scriptedTasks(() => [DONE])
    const error = await rejection(waiter.wait('t', { pollInterval: pollInterval as number }))
    expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('pollInterval') })
  })

  test('while a timeout without end needs no timer', async () => {
    const { waiter, clock } = scriptedTasks(() => [undefined])
    const wait = rejection(waiter.wait('t', { timeout: Infinity }))
    await settled()
    expect(clock.timers()).toBe(0)
    waiter.close('over')
    expect(await wait).toBe('over')
  })
})
