import { expect, test } from 'vitest'
import { runCrashRounds } from './crash-rounds.ts'

test('killed again and again, the service loses nothing that it has acknowledged', async () => {
  const rounds = 5
  const { acknowledged, unanswered, ends, calls, leftovers } = await runCrashRounds(rounds, {})
  expect(acknowledged + unanswered).toBe(rounds * 8)
  // Whoever is killed six times in the midst of the same task gives it up; nothing else can fail here.
  const { SUCCESS = 0, interrupted = 0, ...others } = ends
  expect(others).toEqual({})
  expect(SUCCESS + interrupted).toBe(rounds * 8)
  expect(SUCCESS).toBeGreaterThan(interrupted)
  expect(calls).toBeGreaterThanOrEqual(rounds * 8)
  expect(leftovers).toEqual([])
}, 120_000)
