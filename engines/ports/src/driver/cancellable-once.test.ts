import { getEventListeners } from 'node:events'

import { describe, expect, test } from 'vitest'

import { cancellable } from './cancellable.ts'

const readOnce = <Item>(start: (signal: AbortSignal) => AsyncIterable<Item>, signal?: AbortSignal) =>
  cancellable([signal], start, { once: true })

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Counts from 0 on demand. Waits at `stuckAt` until it is stopped. */
function counting(stuckAt: number): {
  readonly start: (signal: AbortSignal) => AsyncGenerator<number>
  readonly stopped: () => boolean
} {
  let stopped = false
  return {
    async *start(signal) {
      const aborted = Promise.withResolvers<never>()
      aborted.promise.catch(() => undefined)
      signal.addEventListener('abort', () => aborted.reject(signal.reason))
      try {
        for (let number = 0; number < 10; number += 1) {
          if (number === stuckAt) await aborted.promise
          yield number
        }
      } finally {
        stopped = true
      }
    },
    stopped: () => stopped,
  }
}

const NEVER = Infinity

describe('a cancellable stream that is read once', () => {
  test('all items are read once', async () => {
    const items = readOnce(counting(NEVER).start)
    expect(await collect(items)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await collect(items)).toEqual([])
  })

  test('work begins at the first read', async () => {
    let begun = false
    const items = readOnce<number>((signal) => {
      begun = true
      return counting(NEVER).start(signal)
    })
    await items[Symbol.asyncIterator]().return?.()
    expect(begun).toBe(false)
    expect(await collect(items)).toEqual([])
  })

  test('leaving the loop stops the work', async () => {
    const { start, stopped } = counting(NEVER)
    for await (const number of readOnce(start)) if (number === 3) break
    expect(stopped()).toBe(true)
  })

  test('leaving during a read stops the work and ends the read', async () => {
    const { start, stopped } = counting(1)
    const iterator = readOnce(start)[Symbol.asyncIterator]()
    await iterator.next()
    const pending = iterator.next()
    expect(await iterator.return?.()).toEqual({ value: undefined, done: true })
    expect(await pending).toEqual({ value: undefined, done: true })
    expect(stopped()).toBe(true)
  })

  test('an abort before the first read rejects the read and starts no work', async () => {
    const reason = new Error('too late')
    const { start, stopped } = counting(NEVER)
    await expect(collect(readOnce(start, AbortSignal.abort(reason)))).rejects.toBe(reason)
    expect(stopped()).toBe(false)
  })

  test('an abort during a read rejects the read with its reason', async () => {
    const { start, stopped } = counting(1)
    const controller = new AbortController()
    const iterator = readOnce(start, controller.signal)[Symbol.asyncIterator]()
    await iterator.next()
    const pending = iterator.next()
    controller.abort('stop')
    await expect(pending).rejects.toBe('stop')
    expect(stopped()).toBe(true)
  })

  test('an abort between two reads rejects the next one', async () => {
    const { start, stopped } = counting(NEVER)
    const controller = new AbortController()
    const iterator = readOnce(start, controller.signal)[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort('stop')
    await expect(iterator.next()).rejects.toBe('stop')
    expect(stopped()).toBe(true)
  })

  test('an error of the work reaches the reader', async () => {
    // oxlint-disable-next-line require-yield -- a source that fails before its first item
    async function* failing(): AsyncGenerator<number> {
      throw new Error('broken')
    }
    await expect(collect(readOnce(failing))).rejects.toThrow('broken')
  })

  test.each<[string, (iterator: AsyncIterator<number>, controller: AbortController) => Promise<unknown>]>([
    ['left', async (iterator) => iterator.return?.()],
    ['read to the end', async (iterator) => collect({ [Symbol.asyncIterator]: () => iterator })],
    [
      'aborted',
      async (iterator, controller) => {
        controller.abort('stop')
        return iterator.next().catch((reason: unknown) => reason)
      },
    ],
  ])('no listener stays at the signal of work that was %s', async (_, end) => {
    const controller = new AbortController()
    const iterator = readOnce(counting(NEVER).start, controller.signal)[Symbol.asyncIterator]()
    await iterator.next()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    await end(iterator, controller)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })
})
