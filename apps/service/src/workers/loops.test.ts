import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { CALM_MS, SuspectLoop, TURN_MS, WorkerLoop } from './loops.ts'

/** A loop over a queue. Its work ends when the test says so. */
function setUp(size: number) {
  const clock = new ManualClock()
  const queue: string[] = []
  const running = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  const errors: unknown[] = []
  const faults: Error[] = []
  let claims = 0
  const pump = new WorkerLoop<string>({
    size,
    clock,
    onError: (error) => errors.push(error),
    claim: async () => {
      claims += 1
      const fault = faults.shift()
      if (fault !== undefined) throw fault
      return queue.shift()
    },
    work: (name) =>
      new Promise<void>((resolve, reject) => {
        running.set(name, { resolve, reject })
      }).finally(() => running.delete(name)),
  })
  return { clock, queue, running, errors, faults, pump, claims: () => claims }
}

test('the loop runs as many tasks as it has slots, and claims the next when one ends', async () => {
  const { queue, running, pump } = setUp(2)
  queue.push('a', 'b', 'c', 'd')
  pump.wake()
  await settle()
  expect([...running.keys()]).toEqual(['a', 'b'])
  running.get('a')?.resolve()
  await settle()
  expect([...running.keys()]).toEqual(['b', 'c'])
})

test('a wake-up of a full loop does not stop it', async () => {
  const { queue, running, pump } = setUp(1)
  queue.push('a')
  pump.wake()
  await settle()
  queue.push('b')
  pump.wake()
  pump.wake()
  running.get('a')?.resolve()
  await settle()
  expect([...running.keys()]).toEqual(['b'])
})

test('work announced during a claim is not missed', async () => {
  const { queue, running, pump, claims } = setUp(1)
  await settle()
  const before = claims()
  pump.wake()
  queue.push('a')
  pump.wake()
  await settle()
  expect([...running.keys()]).toEqual(['a'])
  expect(claims()).toBeGreaterThan(before)
})

test.each([0, 1, 2, 3, 4, 5])('work announced %i turns after a claim is not missed', async (turns) => {
  const queue: string[] = []
  const done: string[] = []
  const looked = Promise.withResolvers<undefined>()
  const pump = new WorkerLoop({
    size: 1,
    clock: new ManualClock(),
    claim: async () => {
      looked.resolve(undefined)
      return queue.shift()
    },
    work: async (name) => void done.push(name),
    onError: () => undefined,
  })
  await looked.promise
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
  queue.push('a')
  pump.wake()
  await settle()
  expect(done).toEqual(['a'])
  await pump.stop()
})

test('unannounced work is found within a second', async () => {
  const { clock, queue, running } = setUp(1)
  await settle()
  queue.push('a')
  await settle()
  expect(running.size).toBe(0)
  await clock.pass(1000)
  expect([...running.keys()]).toEqual(['a'])
})

test('after an error of the store, the loop claims again at the next poll, not at once', async () => {
  const { clock, queue, running, errors, faults, pump, claims } = setUp(1)
  await settle()
  faults.push(new Error('disk full'))
  queue.push('a')
  const before = claims()
  pump.wake()
  pump.wake()
  await settle()
  expect(claims()).toBe(before + 1)
  expect(errors).toEqual([new Error('disk full')])
  await clock.pass(1000)
  expect([...running.keys()]).toEqual(['a'])
})

test('failed work is reported and frees its slot', async () => {
  const { queue, running, errors, pump } = setUp(1)
  queue.push('a', 'b')
  pump.wake()
  await settle()
  running.get('a')?.reject(new Error('broken'))
  await settle()
  expect(errors).toEqual([new Error('broken')])
  expect([...running.keys()]).toEqual(['b'])
})

test('a stop claims no more, waits for claimed work and leaves no timer', async () => {
  const { clock, queue, running, pump } = setUp(1)
  queue.push('a', 'b')
  pump.wake()
  await settle()
  let stopped = false
  const stopping = pump.stop().then(() => {
    stopped = true
    return undefined
  })
  await settle()
  expect(stopped).toBe(false)
  running.get('a')?.resolve()
  await stopping
  expect([...running.keys()]).toEqual([])
  expect(queue).toEqual(['b'])
  expect(clock.timers).toBe(0)
})

describe('suspects', () => {
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
})
