import { describe, expect, test } from 'vitest'
import { steppedClock, type SteppedClock } from '../../test/support/stepped-clock.ts'
import { IdleTimer } from './idle-timer.ts'

function start(milliseconds = 100): { timer: IdleTimer; clock: SteppedClock; expired: () => number } {
  const clock = steppedClock()
  let count = 0
  const timer = new IdleTimer(clock, milliseconds, () => (count += 1))
  return { timer, clock, expired: () => count }
}

describe('a deadline for many waits', () => {
  test('passes once after a wait of that length, and removes its timer', () => {
    const { timer, clock, expired } = start()
    timer.begin()
    clock.advance(99)
    expect(expired()).toBe(0)
    clock.advance(1)
    expect(expired()).toBe(1)
    clock.advance(1000)
    expect(expired()).toBe(1)
    expect(clock.timers()).toBe(0)
  })

  test('restarts with each wait', () => {
    const { timer, clock, expired } = start()
    for (let count = 0; count < 50; count += 1) {
      timer.begin()
      clock.advance(90)
      timer.pause()
    }
    expect(expired()).toBe(0)
    timer.begin()
    clock.advance(100)
    expect(expired()).toBe(1)
  })

  test('does not count the time between two waits', () => {
    const { timer, clock, expired } = start()
    timer.begin()
    clock.advance(60)
    timer.pause()
    clock.advance(10_000)
    expect(clock.timers()).toBe(0)
    timer.begin()
    clock.advance(99)
    expect(expired()).toBe(0)
    clock.advance(1)
    expect(expired()).toBe(1)
  })

  test('costs no timer a wait', () => {
    const { timer, clock } = start()
    for (let count = 0; count < 10_000; count += 1) {
      timer.begin()
      timer.pause()
    }
    expect(clock.set).toEqual([100])
    // One look for every deadline that passes, however many waits there are.
    for (let count = 0; count < 1000; count += 1) {
      timer.begin()
      clock.advance(1)
      timer.pause()
    }
    expect(clock.set.length).toBeLessThan(15)
  })

  test('a stop removes the timer, and it can start again', () => {
    const { timer, clock, expired } = start()
    timer.begin()
    timer.stop()
    timer.stop()
    expect(clock.timers()).toBe(0)
    clock.advance(1000)
    expect(expired()).toBe(0)
    timer.begin()
    clock.advance(100)
    expect(expired()).toBe(1)
  })

  test('of infinite length never passes', () => {
    const capped = steppedClock()
    let expired = 0
    const setTimer = (milliseconds: number, run: () => void): (() => void) =>
      capped.setTimer(Math.min(milliseconds, 500), run)
    const timer = new IdleTimer({ now: () => capped.now(), setTimer }, Infinity, () => (expired += 1))
    timer.begin()
    capped.advance(10_000)
    expect(expired).toBe(0)
    expect(capped.timers()).toBe(1)
    timer.stop()
    expect(capped.timers()).toBe(0)
  })
})
