import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { TimeoutError } from '../errors/service-errors.ts'
import { RequestScope } from './request-scope.ts'
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
