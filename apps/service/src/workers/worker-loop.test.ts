import { expect, test } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { WorkerLoop } from './worker-loop.ts'

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
