import { expect, test } from 'vitest'
import { RequestPace } from './upstream.ts'

/** A pace over a clock that moves only while someone waits. */
function pace(perMinute: number, mostWait = Infinity) {
  const clock = { now: 0 }
  const made = new RequestPace({
    perMinute,
    mostWait,
    now: () => clock.now,
    wait: async (milliseconds, signal) => {
      signal.throwIfAborted()
      clock.now += milliseconds
    },
  })
  return { clock, turn: (signal = new AbortController().signal) => made.turn(signal) }
}

test('no minute has more requests than the limit', async () => {
  const { clock, turn } = pace(3)
  const starts: number[] = []
  for (let request = 0; request < 20; request += 1) {
    await turn()
    starts.push(clock.now)
    clock.now += (request * 7919) % 9000
  }
  for (const start of starts) {
    expect(starts.filter((other) => other >= start && other < start + 60_000).length).toBeLessThanOrEqual(3)
  }
})

test('requests below the limit do not wait', async () => {
  const { clock, turn } = pace(2)
  await turn()
  clock.now = 40_000
  await turn()
  clock.now = 61_000
  await turn()
  expect(clock.now).toBe(61_000)
})

test('a wait that is too long is refused with its seconds, and takes no turn', async () => {
  const { clock, turn } = pace(1, 20_000)
  await turn()
  clock.now = 30_000
  expect(await turn()).toBe(30)
  clock.now = 45_000
  expect(await turn()).toBeUndefined()
  expect(clock.now).toBe(60_000)
})

test('an abort ends the wait', async () => {
  const { turn } = pace(1)
  await turn()
  const reason = new Error('stopped')
  await expect(turn(AbortSignal.abort(reason))).rejects.toBe(reason)
})
