import { expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import type { UsageBatch } from '../ports/usage-store.ts'
import type { UsageAmounts, UsageKind } from '../domain/usage.ts'
import { countEngineUses, UsageCounter } from './usage.ts'

const DAY = '2027-01-15'

function open() {
  const clock = new ManualClock()
  const batches: UsageBatch[] = []
  const store = { down: false }
  const counter = new UsageCounter(
    {
      async add(batch) {
        if (store.down) throw new Error('down')
        batches.push(batch)
      },
    },
    clock,
    'process-1',
  )
  return { clock, batches, store, counter }
}

test('the calls of a second are one batch, with a sum for each tenant and kind', async () => {
  const { clock, batches, counter } = open()
  counter.note('a', 'speech', { requests: 1, characters: 5, speechMs: 100 })
  counter.note('a', 'speech', { requests: 1, characters: 6, speechMs: 200 })
  counter.note('b', 'speech', { requests: 1 })
  counter.note('a', 'other', { requests: 1 })
  await clock.pass(1000)
  expect(batches).toMatchObject([
    {
      counter: 'process-1',
      number: 1,
      rows: [
        { tenant: 'a', kind: 'speech', day: DAY, requests: 2, characters: 11, speechMs: 300 },
        { tenant: 'b', kind: 'speech', requests: 1 },
        { tenant: 'a', kind: 'other', requests: 1 },
      ],
    },
  ])
  await clock.pass(5000)
  expect(batches).toHaveLength(1)
  expect(clock.timers).toBe(0)
})

test('a batch that could not be stored is sent again unchanged, before later calls', async () => {
  const { clock, batches, store, counter } = open()
  store.down = true
  counter.note('a', 'speech', { requests: 1 })
  await clock.pass(1000)
  counter.note('a', 'speech', { requests: 7 })
  await clock.pass(1000)
  store.down = false
  await clock.pass(2000)
  expect(batches.map(({ number, rows }) => [number, rows[0]?.requests])).toEqual([
    [1, 1],
    [2, 7],
  ])
})

test('a call counts on its own day', async () => {
  const { clock, batches, counter } = open()
  await clock.pass(Date.UTC(2027, 0, 15, 23, 59, 59, 500) - clock.now())
  counter.note('a', 'speech', { requests: 1 })
  await clock.pass(600)
  counter.note('a', 'speech', { requests: 1 })
  await counter.close()
  expect(batches.flatMap(({ rows }) => rows.map(({ day }) => day))).toEqual([DAY, '2027-01-16'])
})

test('a close stores everything, and leaves no timer, even if the store is down', async () => {
  const { clock, batches, store, counter } = open()
  counter.note('a', 'speech', { requests: 1 })
  await counter.close()
  expect(batches).toHaveLength(1)
  store.down = true
  counter.note('a', 'speech', { requests: 1 })
  await counter.close()
  expect(clock.timers).toBe(0)
})

test('usage has each call of an engine under the name of its work and its entry', () => {
  const noted: (readonly [string, UsageKind, Partial<UsageAmounts>])[] = []
  const { ended } = countEngineUses({ note: (...given) => void noted.push(given) })
  const client = { tenant: 'acme' }
  ended?.({ engine: 'far', port: 'speech', client, failed: false, characters: 12, seconds: 1.5 })
  ended?.({ engine: 'ear', port: 'recognition', client, failed: true, characters: 0, seconds: 60 })
  expect(noted).toEqual([
    ['acme', 'speech@far', { requests: 1, characters: 12, speechMs: 1500 }],
    ['acme', 'recognition@ear', { requests: 1, failed: 1, recordingMs: 60_000 }],
  ])
})
