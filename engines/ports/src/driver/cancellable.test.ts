import { getEventListeners } from 'node:events'

import { describe, expect, test } from 'vitest'
import { gather } from '../../test/gather.ts'

import { cancellable, cancellableSource, streamOver } from './cancellable.ts'

async function* counting(end: number): AsyncGenerator<number> {
  for (let item = 0; item < end; item += 1) yield item
}

/** Work that counts to two, waits until it is stopped, and records its end. */
function endlessWork(ended: string[]): (signal: AbortSignal) => AsyncGenerator<number> {
  return async function* work(signal) {
    try {
      yield* counting(2)
      const forever: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
      }
      yield* cancellableSource(forever, signal)
    } finally {
      ended.push(signal.aborted ? 'aborted' : 'done')
    }
  }
}

test('all items pass, and the end removes the listeners', async () => {
  const { signal } = new AbortController()
  expect(await gather(cancellable([signal, undefined], () => counting(3)))).toEqual([0, 1, 2])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('nothing starts before the first read', () => {
  const { signal } = new AbortController()
  let started = false
  cancellable([signal], async function* work() {
    started = true
    yield* counting(1)
  })[Symbol.asyncIterator]()
  expect(started).toBe(false)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test.for([0, 1])('an abort of signal %i rejects the pending read with its reason', async (which) => {
  const controllers = [new AbortController(), new AbortController()]
  const ended: string[] = []
  const items = cancellable(
    controllers.map(({ signal }) => signal),
    endlessWork(ended),
  )[Symbol.asyncIterator]()
  await items.next()
  await items.next()
  const waiting = items.next()
  const reason = new Error('stop')
  controllers[which]?.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(ended).toEqual(['aborted'])
  expect(controllers.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([])
})

test('one signal stops any number of streams', async () => {
  const controller = new AbortController()
  const ended: string[] = []
  const streams = [1, 2, 3].map(() => gather(cancellable([controller.signal], endlessWork(ended))))
  const outcomes = Promise.allSettled(streams)
  setTimeout(() => controller.abort(new Error('all')), 1)
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(ended).toHaveLength(3)
})

test('an abort between reads rejects the next read, and the one after it ends', async () => {
  const controller = new AbortController()
  const ended: string[] = []
  const items = cancellable([controller.signal], endlessWork(ended))[Symbol.asyncIterator]()
  await items.next()
  controller.abort(new Error('stop'))
  await expect(items.next()).rejects.toThrow('stop')
  expect(await items.next()).toEqual({ done: true, value: undefined })
  expect(ended).toEqual(['aborted'])
})

test('a reader that leaves during a read stops the work without an error', async () => {
  const { signal } = new AbortController()
  const ended: string[] = []
  const items = cancellable([signal], endlessWork(ended))[Symbol.asyncIterator]()
  await items.next()
  await items.next()
  const waiting = items.next()
  expect(await items.return?.()).toEqual({ done: true, value: undefined })
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(ended).toEqual(['aborted'])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the reader gets the reason of the abort, not the errors it causes', async () => {
  const controller = new AbortController()
  const items = cancellable([controller.signal], async function* work(signal) {
    yield 1
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    throw new Error('the pipe is broken')
  })[Symbol.asyncIterator]()
  await items.next()
  const waiting = items.next()
  controller.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
})

test('an error of the work reaches the reader', async () => {
  const { signal } = new AbortController()
  const broken = cancellable([signal], async function* work() {
    yield* counting(1)
    throw new Error('broken')
  })
  await expect(gather(broken)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

describe('a stream over another', () => {
  test('closes it when the reader stops before the first read, and then ends', async () => {
    const closed: string[] = []
    const source: AsyncIterator<number> = {
      next: async () => ({ done: false, value: 1 }),
      return: async () => (closed.push('source'), { done: true, value: undefined }),
    }
    const iterator = streamOver(
      source,
      () => source.next(),
      async () => void closed.push('stream'),
    )[Symbol.asyncIterator]()
    await iterator.return?.()
    expect(closed).toEqual(['source', 'stream'])
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  test('runs its own end also when the source cannot be closed', async () => {
    let ended = false
    const source: AsyncIterator<number> = {
      next: async () => ({ done: true, value: undefined }),
      return: () => Promise.reject(new Error('The disk is full')),
    }
    const stream = streamOver(
      source,
      () => source.next(),
      async () => void (ended = true),
    )
    await expect(stream[Symbol.asyncIterator]().return?.()).rejects.toThrow('The disk is full')
    expect(ended).toBe(true)
  })
})
