import { expect, test } from 'vitest'
import { EventQueue } from './event-queue.ts'

test('events pushed before and during reads come in order, until the end', async () => {
  const queue = new EventQueue<number>()
  queue.push(1, 2)
  const read: number[] = []
  const reading = (async () => {
    for await (const event of queue) {
      read.push(event)
      if (event === 2) queue.push(3)
      if (event === 3) setImmediate(() => queue.push(4))
      if (event === 4) {
        queue.push(5)
        queue.end()
      }
    }
  })()
  await reading
  expect(read).toEqual([1, 2, 3, 4, 5])
})

test('an end before the first read comes after earlier events', async () => {
  const queue = new EventQueue<string>()
  queue.push('only')
  queue.end()
  const events = queue[Symbol.asyncIterator]()
  expect(await events.next()).toEqual({ done: false, value: 'only' })
  expect(await events.next()).toEqual({ done: true, value: undefined })
})

test('the end wakes a waiting reader', async () => {
  const queue = new EventQueue<string>()
  const next = queue[Symbol.asyncIterator]().next()
  queue.end()
  expect((await next).done).toBe(true)
})
