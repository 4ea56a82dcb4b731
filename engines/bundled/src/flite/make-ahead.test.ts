import { describe, expect, test } from 'vitest'

import { makeAhead } from './make-ahead.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Items that the test completes. */
function workshop(): {
  readonly started: number[]
  readonly make: (item: number) => Promise<string>
  readonly finish: (item: number) => void
  readonly fail: (item: number) => void
} {
  const started: number[] = []
  const making = new Map<number, PromiseWithResolvers<string>>()
  const at = (item: number): PromiseWithResolvers<string> => {
    const found = making.get(item) ?? Promise.withResolvers<string>()
    making.set(item, found)
    return found
  }
  return {
    started,
    make: async (item) => {
      started.push(item)
      return at(item).promise
    },
    finish: (item) => at(item).resolve(`made ${item}`),
    fail: (item) => at(item).reject(new Error(`failed ${item}`)),
  }
}

describe('makeAhead', () => {
  test('nothing is made before the first read', () => {
    const { started, make } = workshop()
    makeAhead([1, 2], make, 2)
    expect(started).toEqual([])
  })

  test('the first item is made alone, then two more while it is read', async () => {
    const { started, make, finish } = workshop()
    const made = makeAhead([1, 2, 3, 4, 5], make, 2)
    const first = made.next()
    expect(started).toEqual([1])
    finish(1)
    expect(await first).toEqual({ value: 'made 1', done: false })
    finish(2)
    finish(3)
    expect(started).toEqual([1, 2, 3])
    await made.next()
    expect(started).toEqual([1, 2, 3, 4])
  })

  test('items arrive in order, whichever is ready first', async () => {
    const { make, finish } = workshop()
    const made = collect(makeAhead([1, 2, 3], make, 2))
    for (const item of [3, 2, 1]) finish(item)
    expect(await made).toEqual(['made 1', 'made 2', 'made 3'])
  })

  test('with `ahead` 0 one item is made at a time', async () => {
    const { started, make, finish } = workshop()
    const made = makeAhead([1, 2], make, 0)
    finish(1)
    finish(2)
    await made.next()
    expect(started).toEqual([1])
    expect(await made.next()).toEqual({ value: 'made 2', done: false })
    expect(await made.next()).toEqual({ value: undefined, done: true })
  })

  test('a failure arrives in order, and a later one is not left unhandled', async () => {
    const { make, finish, fail } = workshop()
    const made = makeAhead([1, 2, 3], make, 2)
    finish(1)
    await made.next()
    fail(3)
    fail(2)
    await expect(made.next()).rejects.toThrow('failed 2')
    expect(await made.next()).toEqual({ value: undefined, done: true })
  })
})
