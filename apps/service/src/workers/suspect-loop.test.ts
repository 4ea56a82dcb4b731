import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CALM_MS, SuspectLoop, TURN_MS } from './suspect-loop.ts'

interface Suspect {
  readonly name: string
  readonly crashes: number
}

let clock: ManualClock
let suspects: Suspect[]
/** Running suspects, and their ends. */
let working: Map<string, () => void>
let loop: SuspectLoop<Suspect>
beforeEach(() => {
  clock = new ManualClock()
  suspects = []
  working = new Map()
})
afterEach(async () => {
  const stopped = loop.stop()
  for (const finish of working.values()) finish()
  await stopped
})

function start(...crashes: readonly number[]): void {
  suspects = crashes.map((count, index) => ({ name: `s${index}`, crashes: count }))
  loop = new SuspectLoop<Suspect>({
    clock,
    count: async () => suspects.length + working.size,
    claim: async () => suspects.shift(),
    work: ({ name }) =>
      new Promise((resolve) => {
        working.set(name, () => {
          working.delete(name)
          resolve()
        })
      }),
    onOpen: () => undefined,
    onError: () => undefined,
  })
}

async function end(name: string): Promise<void> {
  working.get(name)?.()
  await settle()
}

test('without a suspect, the loop has no timer and other tasks run', async () => {
  start()
  await settle()
  expect([clock.timers, typeof loop.enter()]).toEqual([0, 'function'])
})

test('no suspect runs in the calm after the start, and other tasks do', async () => {
  start(2)
  await clock.pass(CALM_MS - 1)
  const leave = loop.enter()
  expect([working.size, typeof leave]).toEqual([0, 'function'])
  leave?.()
  await clock.pass(1)
  expect([...working.keys()]).toEqual(['s0'])
})

test('suspects run one at a time, and no other task is claimed beside one', async () => {
  start(2, 2)
  await clock.pass(CALM_MS)
  expect([[...working.keys()], loop.enter()]).toEqual([['s0'], undefined])
  await end('s0')
  expect([[...working.keys()], loop.enter()]).toEqual([['s1'], undefined])
  await end('s1')
  await clock.pass(1000)
  expect(loop.enter()).toBeTypeOf('function')
  expect(clock.timers).toBe(0)
})

test('a suspect waits for the end of the running tasks, which no new task delays', async () => {
  start(2)
  const leave = loop.enter()
  await clock.pass(TURN_MS + CALM_MS)
  expect([working.size, loop.enter()]).toEqual([0, undefined])
  leave?.()
  await settle()
  expect([...working.keys()]).toEqual(['s0'])
})

test('other tasks are claimed again while a long task delays a suspect', async () => {
  start(2)
  const leave = loop.enter()
  await clock.pass(2 * TURN_MS + CALM_MS)
  expect([working.size, typeof loop.enter()]).toEqual([0, 'function'])
  leave?.()
})

test('with each crash, a suspect runs alone for twice as long before others run beside it', async () => {
  start(4)
  await clock.pass(CALM_MS + 4 * TURN_MS - 1)
  expect([[...working.keys()], loop.enter()]).toEqual([['s0'], undefined])
  await clock.pass(1)
  expect(loop.enter()).toBeTypeOf('function')
  expect([...working.keys()]).toEqual(['s0'])
})

test('no second suspect starts beside a long one and the tasks that joined it', async () => {
  start(2, 2)
  await clock.pass(CALM_MS + TURN_MS)
  const leave = loop.enter()
  await end('s0')
  await clock.pass(1000)
  expect([...working.keys()]).toEqual([])
  leave?.()
  await clock.pass(1000)
  expect([...working.keys()]).toEqual(['s1'])
})

test('a stop waits for the running suspect and starts no other', async () => {
  start(2, 2)
  await clock.pass(CALM_MS)
  let stopped = false
  const stopping = loop.stop().then(() => (stopped = true))
  await settle()
  expect(stopped).toBe(false)
  await end('s0')
  await stopping
  expect([working.size, suspects.length]).toEqual([0, 1])
})
