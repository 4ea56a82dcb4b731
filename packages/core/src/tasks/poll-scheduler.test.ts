import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Due, DueQueue } from './poll-scheduler.ts'

interface Named extends Due {
  readonly name: number
}

const named = (name: number): Named => ({ name, at: Infinity, order: 0 })

function drain(queue: DueQueue<Named>, now = Infinity): number[] {
  const names: number[] = []
  for (let item = queue.takeDue(now); item !== undefined; item = queue.takeDue(now)) names.push(item.name)
  return names
}

test('items come in the order of their due time, then of their arrival', () => {
  const queue = new DueQueue<Named>()
  for (const [name, at] of [5, 1, 5, 3, 1].entries()) queue.put(named(name), at)
  expect(queue.next).toBe(1)
  expect(drain(queue, 4)).toEqual([1, 4, 3])
  expect(queue.next).toBe(5)
  expect(drain(queue)).toEqual([0, 2])
  expect(queue.next).toBe(Infinity)
})

test('an item added again moves, and a second removal has no effect', () => {
  const queue = new DueQueue<Named>()
  const [a, b] = [named(1), named(2)]
  queue.put(a, 1)
  queue.put(b, 2)
  queue.put(a, 3)
  expect(queue.next).toBe(2)
  queue.remove(b)
  queue.remove(b)
  expect(b.at).toBe(Infinity)
  expect(drain(queue)).toEqual([1])
})

test('after any sequence of adds, moves and removals the queue equals a sorted list', () => {
  const step = fc.record({ name: fc.nat(20), at: fc.option(fc.nat(9), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new DueQueue<Named>()
      const items = Array.from({ length: 21 }, (_, name) => named(name))
      let list: { name: number; at: number }[] = []
      for (const { name, at } of steps) {
        const item = items[name]
        if (item === undefined) throw new Error('no such item')
        list = list.filter((one) => one.name !== name)
        if (at === undefined) queue.remove(item)
        else {
          queue.put(item, at)
          list.push({ name, at })
        }
        expect(queue.next).toBe(Math.min(...list.map((one) => one.at)))
      }
      expect(drain(queue)).toEqual(list.toSorted((a, b) => a.at - b.at).map(({ name }) => name))
      expect(items.every(({ at }) => at === Infinity)).toBe(true)
    }),
  )
})
