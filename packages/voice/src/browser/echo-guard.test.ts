import { expect, test } from 'vitest'
import { EchoGuard } from './echo-guard.ts'

/** Pushes the same levels for so many seconds. @returns the share of frames that passed in the last second */
function push(guard: EchoGuard, seconds: number, microphone: number, played: number): number {
  const passed = Array.from({ length: seconds * 50 }, () => guard.push(microphone, played))
  return passed.slice(-50).filter(Boolean).length / Math.min(50, passed.length)
}

test('while nothing plays, everything passes', () => {
  expect(push(new EchoGuard(), 1, 0.0001, 0)).toBe(1)
})

test('an echo does not pass, and a voice over it does', () => {
  const guard = new EchoGuard()
  push(guard, 1, 0.001, 0)
  expect(push(guard, 2, 0.01, 0.2)).toBe(0)
  expect(push(guard, 0.1, 0.1, 0.2)).toBe(1)
})

test('a weak echo lets soft voices pass: the guard learns how much comes back', () => {
  const guard = new EchoGuard()
  push(guard, 4, 0.001, 0.2)
  expect(push(guard, 0.1, 0.015, 0.2)).toBe(1)
})

test('a strong echo is learned within seconds, although it passes at first', () => {
  const guard = new EchoGuard()
  expect(push(guard, 1, 0.15, 0.2)).toBe(1)
  push(guard, 20, 0.15, 0.2)
  expect(push(guard, 1, 0.15, 0.2)).toBe(0)
})

test('the tail of an echo does not pass, and a word is not cut between its syllables', () => {
  const guard = new EchoGuard()
  push(guard, 2, 0.01, 0.2)
  expect(push(guard, 0.3, 0.01, 0)).toBe(0)
  const word = new EchoGuard()
  push(word, 2, 0.01, 0.2)
  push(word, 0.2, 0.2, 0.2)
  expect(push(word, 0.2, 0.001, 0.2)).toBe(1)
})

test.each([-20, -30, -40])('the first frames of an answer are guarded: an echo at %d dB does not pass', (decibels) => {
  const guard = new EchoGuard()
  push(guard, 2, 0.001, 0)
  const echo = 0.2 * 10 ** (decibels / 20)
  guard.expect(0.2)
  // The player reports what plays 100 ms later.
  expect(push(guard, 0.1, echo, 0)).toBe(0)
  expect(push(guard, 1, echo, 0.2)).toBe(0)
})

test('a user who speaks while an answer begins is not cut', () => {
  const guard = new EchoGuard()
  push(guard, 2, 0.001, 0)
  push(guard, 0.5, 0.1, 0)
  guard.expect(0.2)
  expect(push(guard, 0.3, 0.1, 0.2)).toBe(1)
})
