import { expect, test, vi } from 'vitest'
import { createStore } from './store.ts'

test('subscribers hear of a new value once, and not of the same value', () => {
  const store = createStore(1)
  const listener = vi.fn<() => void>()
  store.subscribe(listener)
  store.set(1)
  expect(listener).not.toHaveBeenCalled()
  store.set(2)
  store.set(2)
  expect(listener).toHaveBeenCalledTimes(1)
  expect(store.get()).toBe(2)
})

test('NaN is the same value as NaN', () => {
  const store = createStore(Number.NaN)
  const listener = vi.fn<() => void>()
  store.subscribe(listener)
  store.set(Number.NaN)
  expect(listener).not.toHaveBeenCalled()
})

test('a listener reads the new value while it is called', () => {
  const store = createStore('a')
  const seen: string[] = []
  store.subscribe(() => seen.push(store.get()))
  store.set('b')
  store.set('c')
  expect(seen).toEqual(['b', 'c'])
})

test('an ended subscription is silent, and the others go on', () => {
  const store = createStore(0)
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()]
  const end = store.subscribe(first)
  store.subscribe(second)
  end()
  end()
  store.set(1)
  expect(first).not.toHaveBeenCalled()
  expect(second).toHaveBeenCalledOnce()
})

test('a listener may end its own subscription', () => {
  const store = createStore(0)
  const other = vi.fn<() => void>()
  const end = store.subscribe(() => end())
  store.subscribe(other)
  store.set(1)
  store.set(2)
  expect(other).toHaveBeenCalledTimes(2)
})
