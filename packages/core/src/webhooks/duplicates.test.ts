import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { post, testReceiver } from '../../test/support/webhook-calls.ts'
import { settled } from '../../test/support/manual-clock.ts'
import { BoundedMap, memorySeenStore } from './receiver-options.ts'

test('a repeated callback is answered 200, and its task is not handled again', async () => {
  const { receiver, handled, notified } = testReceiver()
  const [first, second] = [await receiver.createCallback(), await receiver.createCallback()]
  for (const { url } of [first, first, second]) expect((await receiver.handle(post(url))).status).toBe(200)
  expect([handled.length, notified.length]).toEqual([1, 3])
  await receiver.handle(post(first.url, { id: 'another' }))
  expect(handled).toHaveLength(2)
})

test('a handler that throws is answered 500, reported to onError, and called again for the next callback', async () => {
  const mistake = new Error('handler')
  let calls = 0
  const handler = async (): Promise<void> => {
    calls += 1
    if (calls < 3) throw mistake
  }
  const { receiver, errors } = testReceiver({ handlers: { 'audio.speech': handler } })
  const { url } = await receiver.createCallback()
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await receiver.handle(post(url))).status)
  expect([statuses, calls, errors]).toEqual([[500, 500, 200, 200], 3, [mistake, mistake]])
})

describe('concurrent callbacks', () => {
  /** A handler that ends when the test says so. */
  function heldHandler() {
    let calls = 0
    const held = Promise.withResolvers<void>()
    const handler = (): Promise<void> => {
      calls += 1
      return held.promise
    }
    return { handlers: { '*': handler }, held, calls: () => calls }
  }

  test('call the handler once, and all share its success', async () => {
    const { handlers, held, calls } = heldHandler()
    const { receiver } = testReceiver({ handlers })
    const { url } = await receiver.createCallback()
    const answers = Array.from({ length: 20 }, () => receiver.handle(post(url)))
    await expect.poll(calls).toBe(1)
    await settled()
    held.resolve()
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(calls()).toBe(1)
  })

  test('share its failure too: none is told that the task was handled', async () => {
    const { handlers, held, calls } = heldHandler()
    const { receiver, errors } = testReceiver({ handlers })
    const { url } = await receiver.createCallback()
    const answers = Array.from({ length: 20 }, () => receiver.handle(post(url)))
    await expect.poll(calls).toBe(1)
    // Every one of them has come as far as the handler by then.
    for (let turn = 0; turn < 20; turn += 1) await settled()
    held.reject(new Error('handler'))
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([500]))
    expect([calls(), errors.length]).toEqual([1, 1])
  })

  test('do not block those of other tasks', async () => {
    const { handlers, held, calls } = heldHandler()
    const { receiver } = testReceiver({ handlers: { 'audio.speech': handlers['*'] } })
    const { url } = await receiver.createCallback()
    const first = receiver.handle(post(url, { id: 'a' }))
    const second = receiver.handle(post(url, { id: 'b' }))
    await expect.poll(calls).toBe(2)
    held.resolve()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
  })
})

test('each task is handled at most once, and a 200 confirms it', async () => {
  const callback = fc.record({ id: fc.constantFrom('a', 'b'), fails: fc.boolean(), joins: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(callback, { maxLength: 20 }), async (callbacks) => {
      const done = new Map<string, number>()
      let fails = false
      const handler = async ({ id }: { id: string }): Promise<void> => {
        const throws = fails
        await settled()
        if (throws) throw new Error('handler')
        done.set(id, (done.get(id) ?? 0) + 1)
      }
      const { receiver } = testReceiver({ handlers: { '*': handler } })
      const { url } = await receiver.createCallback()
      const answers: Promise<void>[] = []
      for (const { id, fails: next, joins } of callbacks) {
        fails = next
        const check = async (): Promise<void> => {
          const { status } = await receiver.handle(post(url, { id }))
          expect(status === 200 ? done.get(id) : status).toBe(status === 200 ? 1 : 500)
        }
        answers.push(check())
        if (!joins) await Promise.all(answers)
      }
      await Promise.all(answers)
      expect([...done.values()].every((times) => times === 1)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

describe('a custom store', () => {
  test('is shared by receivers: a task is handled by one of them', async () => {
    const seen = memorySeenStore()
    const [a, b] = [testReceiver({ seen }), testReceiver({ seen })]
    const { url } = await a.receiver.createCallback()
    for (const { receiver } of [a, b]) expect((await receiver.handle(post(url))).status).toBe(200)
    expect([a.handled.length, b.handled.length]).toEqual([1, 0])
  })

  test.each(['claim', 'forget'] as const)('that fails in %s is answered 500', async (name) => {
    const down = new Error('store down')
    const seen = {
      claim: async () => {
        if (name === 'claim') throw down
        return true
      },
      forget: async () => {
        throw down
      },
    }
    const handlers = {
      '*': () => {
        throw new Error('handler')
      },
    }
    const { receiver, errors } = testReceiver({ seen, handlers })
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(500)
    expect(errors.at(-1)).toBe(down)
  })
})

test('the store removes the oldest of 10,000 handled tasks', async () => {
  const seen = memorySeenStore()
  for (let index = 0; index <= 10_000; index += 1) expect(await seen.claim(`t-${index}`)).toBe(true)
  expect(await seen.claim('t-10000')).toBe(false)
  expect(await seen.claim('t-1')).toBe(false)
  expect(await seen.claim('t-0')).toBe(true)
})

test('a bounded map has the entries that were set last', () => {
  const map = new BoundedMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
})
