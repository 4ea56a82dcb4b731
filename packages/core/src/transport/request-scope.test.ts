import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { TimeoutError } from '../errors.ts'
import { cancellable, RequestScope, unlessAborted } from './request-scope.ts'
import type { Clock } from './transport.ts'

/** A clock that is wound by hand. */
function manualClock(): { clock: Clock; timers: Map<number, () => void> } {
  const timers = new Map<number, () => void>()
  const clock: Clock = {
    now: () => 0,
    setTimer(milliseconds, run) {
      timers.set(milliseconds, run)
      return () => timers.delete(milliseconds)
    },
  }
  return { clock, timers }
}

test('an abort has its reason and removes the timer', () => {
  const { clock, timers } = manualClock()
  const caller = new AbortController()
  const scope = new RequestScope({ signal: caller.signal, timeout: 50, clock })
  const reason = { mine: true }
  caller.abort(reason)
  expect(scope.signal.reason).toBe(reason)
  expect(timers.size).toBe(0)
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
})

test('the deadline aborts with a TimeoutError and removes the listener', () => {
  const { clock, timers } = manualClock()
  const caller = new AbortController()
  const scope = new RequestScope({ signal: caller.signal, timeout: 50, clock })
  timers.get(50)?.()
  expect(scope.signal.reason).toBeInstanceOf(TimeoutError)
  expect(scope.signal.reason).toMatchObject({ phase: 'total' })
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
})

test('after the end an abort or a deadline has no effect, and listener and timer are removed', () => {
  const { clock, timers } = manualClock()
  const caller = new AbortController()
  const scope = new RequestScope({ signal: caller.signal, timeout: 50, clock })
  scope.dispose()
  caller.abort()
  expect(scope.signal.aborted).toBe(false)
  expect(timers.size).toBe(0)
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
})

test('a signal that is already aborted needs no listener and no timer', () => {
  const { clock, timers } = manualClock()
  const signal = AbortSignal.abort('before')
  expect(new RequestScope({ signal, timeout: 50, clock }).signal.reason).toBe('before')
  expect(timers.size).toBe(0)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a timeout may be endless', () => {
  const { clock, timers } = manualClock()
  expect(new RequestScope({ timeout: Infinity, clock }).signal.aborted).toBe(false)
  expect(timers.has(Infinity)).toBe(true)
})

/** A generator whose source answers when it is told to, and fails once it is given up. */
function source(): { generator: AsyncGenerator<number, void, undefined>; giveUp: () => void; log: string[] } {
  const log: string[] = []
  const silent = Promise.withResolvers<never>()
  async function* generate(): AsyncGenerator<number, void, undefined> {
    try {
      yield 1
      await silent.promise
    } finally {
      log.push('finally')
    }
  }
  const giveUp = (): void => {
    log.push('given up')
    silent.reject(new Error('given up'))
    silent.promise.catch(() => {})
  }
  return { generator: generate(), giveUp, log }
}

test('a return before the start of a generator closes its source', async () => {
  const { generator, giveUp, log } = source()
  await expect(cancellable(generator, giveUp).return()).resolves.toEqual({ done: true, value: undefined })
  expect(log).toEqual(['given up'])
})

test('a return ends a generator with a silent source at once', async () => {
  const { generator, giveUp, log } = source()
  const iterator = cancellable(generator, giveUp)
  await iterator.next()
  const pending = iterator.next()
  const left = iterator.return()
  await expect(pending).rejects.toThrow('given up')
  await expect(left).resolves.toEqual({ done: true, value: undefined })
  expect(log).toEqual(['given up', 'finally'])
})

test('a break, and an error thrown in, close the source too', async () => {
  const looped = source()
  for await (const value of cancellable(looped.generator, looped.giveUp)) {
    if (value === 1) break
  }
  expect(looped.log).toEqual(['given up', 'finally'])
  const thrown = source()
  const iterator = cancellable(thrown.generator, thrown.giveUp)
  await iterator.next()
  await expect(iterator.throw(new Error('mine'))).rejects.toThrow('mine')
  expect(thrown.log).toEqual(['given up', 'finally'])
})

test('a generator that ends by itself aborts nothing', async () => {
  const giveUp = vi.fn<() => void>()
  async function* one(): AsyncGenerator<number, void, undefined> {
    yield 1
  }
  const values: number[] = []
  for await (const value of cancellable(one(), giveUp)) values.push(value)
  expect(values).toEqual([1])
  expect(giveUp).not.toHaveBeenCalled()
})

test('work that ends first gives its result, and no listener is left', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done')
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort throws its reason at once, and no listener is left', async () => {
  const controller = new AbortController()
  const work = unlessAborted(new Promise(() => undefined), controller.signal)
  controller.abort('enough')
  await expect(work).rejects.toBe('enough')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('an aborted signal throws its reason, and a later failure of the work is ignored', async () => {
  const later = Promise.withResolvers<never>()
  await expect(unlessAborted(later.promise, AbortSignal.abort('too late'))).rejects.toBe('too late')
  await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort('too late'))).rejects.toBe('too late')
  later.reject(new Error('nobody waits'))
  // An unhandled rejection would fail this run.
  await new Promise(setImmediate)
})
