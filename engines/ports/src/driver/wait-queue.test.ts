import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { settle } from '../../test/settle.ts'
import { WaitQueue } from './wait-queue.ts'

let line: WaitQueue
/** The outcomes of the waiting callers, in order. */
let seen: string[]
beforeEach(() => {
  line = new WaitQueue()
  seen = []
})

/** Waits with a label. `leave` aborts. */
function join(label: string, name?: string) {
  const controller = new AbortController()
  const { signal } = controller
  line.wait(signal, name).then(
    () => seen.push(label),
    (error: unknown) => seen.push(`${label}: ${String(error)}`),
  )
  const leave = (): void => controller.abort(`${label} is gone`)
  return { leave, listeners: () => getEventListeners(signal, 'abort').length }
}

test('callers are woken one by one, in order', async () => {
  for (const label of ['a', 'b', 'c']) join(label)
  await settle()
  expect([seen, line.length]).toEqual([[], 3])
  expect([line.next(), line.next()]).toEqual([true, true])
  expect(line.length).toBe(1)
  await settle()
  expect(seen).toEqual(['a', 'b'])
})

test('next without a caller wakes nobody, and a later caller waits', async () => {
  expect(line.next()).toBe(false)
  join('a')
  await settle()
  expect(seen).toEqual([])
})

describe('names', () => {
  test('each name appears once, at the position of its first caller', () => {
    join('one', 'b')
    join('two', 'a')
    join('three', 'b')
    expect([...line.names]).toEqual(['b', 'a'])
    line.next('b')
    expect([...line.names]).toEqual(['a', 'b'])
  })

  test('next wakes the first caller of a name, past other names', async () => {
    join('one', 'a')
    join('two', 'b')
    join('three', 'b')
    expect(line.next('b')).toBe(true)
    await settle()
    expect(seen).toEqual(['two'])
    expect(line.next('c')).toBe(false)
    expect(line.next()).toBe(true)
    await settle()
    expect(seen).toEqual(['two', 'one'])
  })
})

describe('an abort', () => {
  test('in the queue leaves it, with the signal’s reason', async () => {
    const { leave } = join('a')
    join('b')
    leave()
    expect(line.length).toBe(1)
    expect(line.next()).toBe(true)
    expect(line.next()).toBe(false)
    await settle()
    expect(seen.toSorted()).toEqual(['a: a is gone', 'b'])
  })

  test('at the moment of the turn is too late: the caller has its slot', async () => {
    const { leave } = join('a')
    line.next()
    leave()
    await settle()
    expect(seen).toEqual(['a'])
  })

  test('in advance throws, and the caller does not queue', async () => {
    await expect(line.wait(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(line.length).toBe(0)
  })
})

test('the abort listener is removed after the turn or the abort', async () => {
  const [told, gone] = [join('a'), join('b')]
  expect([told.listeners(), gone.listeners()]).toEqual([1, 1])
  line.next()
  gone.leave()
  await settle()
  expect([told.listeners(), gone.listeners()]).toEqual([0, 0])
})
