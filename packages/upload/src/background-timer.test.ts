import { afterEach, expect, test, vi } from 'vitest'
import { backgroundTimer } from './background-timer.ts'

afterEach(() => vi.unstubAllGlobals())

test('a background timer does not keep the process running', () => {
  const timer = backgroundTimer(() => {}, 1000)
  expect(timer.hasRef()).toBe(false)
  clearTimeout(timer)
})

test('a background timer works where timers are numbers, as on Workers with an older compatibility date', () => {
  vi.stubGlobal('setTimeout', () => 7)
  expect(backgroundTimer(() => {}, 1000)).toBe(7)
})
