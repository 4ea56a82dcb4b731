import { SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import { expect, test } from 'vitest'
import { runCrashRounds } from './crash-rounds.ts'
import { totalSyncs } from './sync-counts.ts'

test('a service killed again and again loses no acknowledged write', async () => {
  const { writes, ends, faults, calls, steps } = await runCrashRounds({ rounds: 4, seed: SEED })
  expect({ seed: SEED, faults: faults.map(({ fault }) => fault) }).toEqual({ seed: SEED, faults: [] })
  const tasks = writes.filter(({ kind }) => kind.includes('task'))
  const succeeded = tasks.filter((write) => ends.get(write) === 'SUCCESS')
  expect(tasks.length).toBeGreaterThan(0)
  expect(succeeded.length).toBeGreaterThan(tasks.length / 2)
  expect(calls).toBeGreaterThanOrEqual(tasks.length)
  expect(totalSyncs(steps)['write-ahead log']).toBeGreaterThan(tasks.length)
})
