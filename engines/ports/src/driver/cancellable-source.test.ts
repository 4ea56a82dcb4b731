import { getEventListeners } from 'node:events'

import { expect, test } from 'vitest'
import { gather } from '../../test/gather.ts'

import { cancellableSource } from './cancellable.ts'

/** A source that yields the given numbers and is then silent. It counts the calls of `return`. */
function silentAfter(...items: number[]): AsyncIterable<number> & { left: number } {
  const source = {
    left: 0,
    [Symbol.asyncIterator]: (): AsyncIterator<number> => ({
      next: () => {
        const value = items.shift()
        return value === undefined ? new Promise(() => undefined) : Promise.resolve({ done: false, value })
      },
      return: () => {
        source.left += 1
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
  return source
}

async function* counting(end: number): AsyncGenerator<number> {
  for (let item = 0; item < end; item += 1) yield item
}

test('without an abort every item passes, and no listener remains', async () => {
  const { signal } = new AbortController()
  expect(await gather(cancellableSource(counting(4), signal))).toEqual([0, 1, 2, 3])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort interrupts and closes a silent source', async () => {
  const controller = new AbortController()
  const source = silentAfter(1)
  const items = cancellableSource(source, controller.signal)
  expect((await items.next()).value).toBe(1)
  const waiting = items.next()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(source.left).toBe(1)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('an abort between two items stops before the next one', async () => {
  const controller = new AbortController()
  const source = silentAfter(1, 2)
  const items = cancellableSource(source, controller.signal)
  await items.next()
  controller.abort(new Error('enough'))
  await expect(items.next()).rejects.toThrow('enough')
  expect(source.left).toBe(1)
})

test('a signal aborted in advance does not touch the source', async () => {
  const source = silentAfter(1)
  await expect(cancellableSource(source, AbortSignal.abort(new Error('late'))).next()).rejects.toThrow('late')
  expect(source.left).toBe(0)
})

test('leaving the loop closes the source once; an end or error of the source does not', async () => {
  const { signal } = new AbortController()
  const source = silentAfter(1, 2)
  for await (const item of cancellableSource(source, signal)) if (item === 1) break
  expect(source.left).toBe(1)

  const failing = { ...silentAfter(), left: 0 }
  failing[Symbol.asyncIterator] = () => ({
    next: () => Promise.reject(new Error('broken')),
    return: () => {
      failing.left += 1
      return Promise.resolve({ done: true, value: undefined })
    },
  })
  await expect(cancellableSource(failing, signal).next()).rejects.toThrow('broken')
  expect(failing.left).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
