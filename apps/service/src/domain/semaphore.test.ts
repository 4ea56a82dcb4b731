import { getEventListeners } from 'node:events'

import { expect, test } from 'vitest'

import { Semaphore } from './semaphore.ts'

const { signal } = new AbortController()

/** Runs all pending microtasks. */
async function settle(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve))
}

test('as many processes run as there are slots, the others in order', async () => {
  const places = new Semaphore(2)
  const running: number[] = []
  const releases = [0, 1, 2, 3].map(async (number) => {
    const release = await places.acquire(signal)
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
  const release = await places.acquire(signal)
  release()
  release()
  await places.acquire(signal)
  let third = false
  void (async () => {
    await places.acquire(signal)
    third = true
  })()
  await settle()
  expect(third).toBe(false)
})

test('an abort in the queue loses no slot', async () => {
  const places = new Semaphore(1)
  const release = await places.acquire(signal)
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
  const release = await places.acquire(signal)
  const controller = new AbortController()
  const next = places.acquire(controller.signal)
  release()
  const releaseNext = await next
  controller.abort(new Error('late'))
  releaseNext()
  await expect(places.acquire(signal)).resolves.toBeTypeOf('function')
})

test('a signal aborted in advance takes no slot', async () => {
  const places = new Semaphore(1)
  await expect(places.acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  await expect(places.acquire(signal)).resolves.toBeTypeOf('function')
})
