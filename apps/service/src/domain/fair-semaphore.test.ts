import { getEventListeners } from 'node:events'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { expect, test } from 'vitest'
import { FairSemaphore, type FairSemaphoreOptions, Semaphore, TenantsAtWork } from './fair-semaphore.ts'

const never = new AbortController().signal

test('as many processes run as there are slots, the others in order', async () => {
  const places = new Semaphore(2)
  const running: number[] = []
  const releases = [0, 1, 2, 3].map(async (number) => {
    const release = await places.acquire(never)
    running.push(number)
    return release
  })
  await settle()
  expect(running).toEqual([0, 1])
  ;(await releases[1])?.()
  await settle()
  expect(running).toEqual([0, 1, 2])
  ;(await releases[0])?.()
  await settle()
  expect(running).toEqual([0, 1, 2, 3])
})

test('a second release of a slot has no effect', async () => {
  const places = new Semaphore(1)
  const release = await places.acquire(never)
  release()
  release()
  await places.acquire(never)
  let third = false
  void (async () => {
    await places.acquire(never)
    third = true
  })()
  await settle()
  expect(third).toBe(false)
})

test('an abort in the queue of a plain semaphore loses no slot', async () => {
  const places = new Semaphore(1)
  const release = await places.acquire(never)
  const controller = new AbortController()
  const impatient = places.acquire(controller.signal)
  const other = new AbortController().signal
  const patient = places.acquire(other)
  const reason = new Error('no patience')
  controller.abort(reason)
  await expect(impatient).rejects.toBe(reason)
  release()
  await expect(patient).resolves.toBeTypeOf('function')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(getEventListeners(other, 'abort')).toEqual([])
})

test('an abort after the slot was granted has no effect', async () => {
  const places = new Semaphore(1)
  const release = await places.acquire(never)
  const controller = new AbortController()
  const next = places.acquire(controller.signal)
  release()
  const releaseNext = await next
  controller.abort(new Error('late'))
  releaseNext()
  await expect(places.acquire(never)).resolves.toBeTypeOf('function')
})

test('a signal aborted in advance takes no slot of a plain semaphore', async () => {
  const places = new Semaphore(1)
  await expect(places.acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  await expect(places.acquire(never)).resolves.toBeTypeOf('function')
})

/** A semaphore whose work ends when the test says so. */
function setUp(size: number, options?: FairSemaphoreOptions) {
  const places = new FairSemaphore(size, options)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const use = (tenant: string, name: string, signal = never): Promise<void> =>
    places.use(tenant, signal, () => {
      started.push(name)
      return new Promise((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await settle()
  }
  return { places, started, use, end }
}

test('calls at once are limited to the number of slots', async () => {
  const { started, use, end } = setUp(2)
  for (const name of ['a', 'b', 'c']) void use('one', name)
  await settle()
  expect(started).toEqual(['a', 'b'])
  await end('a')
  expect(started).toEqual(['a', 'b', 'c'])
})

test('a tenant with a long queue and one with a short take turns', async () => {
  const { started, use, end } = setUp(1)
  for (const name of ['a1', 'a2', 'a3']) void use('a', name)
  for (const name of ['b1', 'b2']) void use('b', name)
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name)
  expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
})

test('the tenant with the fewest slots is first, even if it came last', async () => {
  const { started, use, end } = setUp(3)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void use('a', name)
  void use('b', 'b1')
  await end('a1')
  expect(started.at(-1)).toBe('b1')
})

test('an aborted caller leaves the queue and holds no slot', async () => {
  const { started, use, end } = setUp(1)
  void use('a', 'a1')
  const leaving = new AbortController()
  const left = use('b', 'b1', leaving.signal)
  void use('c', 'c1')
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await end('a1')
  expect(started).toEqual(['a1', 'c1'])
})

test('a signal aborted in advance starts no work', async () => {
  const { places } = setUp(1)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(places.use('a', gone, async () => 'done')).rejects.toThrow('gone')
  expect(await places.use('a', never, async () => 'done')).toBe('done')
})

test('failed work releases its slot', async () => {
  const { places } = setUp(1)
  const failing = places.use('a', never, async () => {
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(await places.use('b', never, async () => 'done')).toBe('done')
})

test('a tenant holds at most its share, and another gets the other slots at once', async () => {
  const { started, use, end, places } = setUp(3, { perTenant: 2 })
  for (const name of ['a1', 'a2', 'a3']) void use('a', name)
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  void use('b', 'b1')
  await settle()
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('b1')
  expect(places).toMatchObject({ busy: 2, waiting: 1 })
  await end('a1')
  expect(started.at(-1)).toBe('a3')
})

test('tenants share by the cost of their work, not by its count', async () => {
  const places = new FairSemaphore(1)
  const started: string[] = []
  const use = (tenant: string, name: string, cost: number): Promise<void> =>
    places.use(tenant, never, async () => void started.push(name), cost)
  const all = ['a1', 'a2', 'a3'].map((name) => use('a', name, 30))
  all.push(...['b1', 'b2', 'b3', 'b4', 'b5'].map((name) => use('b', name, 10)))
  await Promise.all(all)
  expect(started).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'b5', 'a3'])
})

test('a tenant that comes back gets no credit for its absence', async () => {
  const { started, use, end } = setUp(1)
  void use('b', 'b1')
  for (const name of ['a1', 'a2', 'a3', 'a4']) void use('a', name)
  for (const name of ['b1', 'a1', 'a2']) await end(name)
  for (const name of ['b2', 'b3']) void use('b', name)
  for (const name of ['a3', 'b2', 'a4', 'b3']) await end(name)
  expect(started).toEqual(['b1', 'a1', 'a2', 'a3', 'b2', 'a4', 'b3'])
})

test('a tenant overflows while it holds all its slots and others of its callers wait', async () => {
  const { places, use, end } = setUp(3, { perTenant: 2 })
  for (const name of ['a1', 'a2', 'b1']) void use('a' === name[0] ? 'a' : 'b', name)
  expect([places.overflows('a'), places.overflows('b')]).toEqual([false, false])
  void use('a', 'a3')
  void use('b', 'b2')
  await settle()
  // The other tenant waits too, but for the slots of all.
  expect([places.overflows('a'), places.overflows('b')]).toEqual([true, false])
  await end('a1')
  await end('a2')
  expect(places.overflows('a')).toBe(false)
})

test('a tenant has others while another one holds a slot or waits for one', async () => {
  const { places, use, end } = setUp(1)
  void use('a', 'a1')
  void use('a', 'a2')
  await settle()
  expect([places.hasOthers('a'), places.hasOthers('b')]).toEqual([false, true])
  void use('b', 'b1')
  await settle()
  expect(places.hasOthers('a')).toBe(true)
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  expect([places.hasOthers('a'), places.hasOthers('b')]).toEqual([false, false])
})

test('several tenants are at work while two hold slots or wait, of any semaphore', async () => {
  const [speech, recognition] = [new FairSemaphore(1), new FairSemaphore(1)]
  const atWork = new TenantsAtWork()
  expect(atWork.areSeveral()).toBe(false)
  atWork.watch(speech, recognition)
  const first = await speech.acquire('first', never)
  const again = await recognition.acquire('first', never)
  expect(atWork.areSeveral()).toBe(false)
  const waiting = recognition.acquire('second', never)
  expect(atWork.areSeveral()).toBe(true)
  again()
  const second = await waiting
  first()
  expect(atWork.areSeveral()).toBe(false)
  second()
})
