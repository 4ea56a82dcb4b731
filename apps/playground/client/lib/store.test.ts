import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore, readStored, subscribeFrames, writeStored } from './store.ts'

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

let frames: Map<number, FrameRequestCallback>

beforeEach(() => {
  frames = new Map()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
    last += 1
    frames.set(last, callback)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** Lets the browser draw. */
function draw(): void {
  const due = [...frames.values()]
  frames.clear()
  for (const callback of due) callback(0)
}

test('many changes of a store are one call at the next animation frame', () => {
  const store = createStore(0)
  const listener = vi.fn<() => void>()
  subscribeFrames(store, listener)
  for (let value = 1; value <= 100; value += 1) store.set(value)
  expect(listener).not.toHaveBeenCalled()
  draw()
  expect(listener).toHaveBeenCalledOnce()
})

test('a change after the frame is a call of its own', () => {
  const store = createStore(0)
  const listener = vi.fn<() => void>()
  subscribeFrames(store, listener)
  for (const value of [1, 2, 3]) {
    store.set(value)
    draw()
  }
  draw()
  expect(listener).toHaveBeenCalledTimes(3)
})

test('an ended subscription does not wait for its frame', () => {
  const store = createStore(0)
  const listener = vi.fn<() => void>()
  const end = subscribeFrames(store, listener)
  store.set(1)
  end()
  expect(frames.size).toBe(0)
  store.set(2)
  expect([frames.size, listener.mock.calls.length]).toEqual([0, 0])
})

let items: Map<string, string>

beforeEach(() => {
  items = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const DRAFT = { text: 'first', speed: 1, tags: ['a'] }

test('what is written is read again, under a name of this page', () => {
  writeStored('speak', { ...DRAFT, speed: 2 })
  expect([...items.keys()]).toEqual(['svc-audio.speak'])
  expect(readStored('speak', DRAFT)).toEqual({ ...DRAFT, speed: 2 })
})

test('a name without a value gives the first draft itself', () => {
  expect(readStored('nothing', DRAFT)).toBe(DRAFT)
})

test('a stored draft gets the fields that it lacks', () => {
  items.set('svc-audio.speak', '{"text":"old"}')
  expect(readStored('speak', DRAFT)).toEqual({ text: 'old', speed: 1, tags: ['a'] })
})

test.each([
  ['a list', '[1]'],
  ['null', 'null'],
  ['a text', '"x"'],
  ['half of a JSON', '{"text":'],
  ['nothing', ''],
])('%s in place of a draft is ignored', (_case, stored) => {
  items.set('svc-audio.speak', stored)
  expect(readStored('speak', DRAFT)).toBe(DRAFT)
})

test.each([
  ['a number', 1, '0.5', 0.5],
  ['a number that is a text', 1, '"loud"', 1],
  ['a text', 'dark', '"light"', 'light'],
  ['a switch', true, 'false', false],
  ['a list', [1, 2], '[]', []],
  ['a list that is an object', [1], '{"0":1}', [1]],
])('%s is read as its own kind only', (_case, initial, stored, expected) => {
  items.set('svc-audio.value', stored)
  expect(readStored<unknown>('value', initial)).toEqual(expected)
})

test('an empty list stays a list, and is not mixed with the first one', () => {
  writeStored('tasks', [])
  expect(readStored('tasks', ['a'])).toEqual([])
})

test('a browser that blocks its storage works without it', () => {
  const blocked = (): never => {
    throw new DOMException('The operation is insecure', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked })
  expect(readStored('speak', DRAFT)).toBe(DRAFT)
  expect(() => writeStored('speak', DRAFT)).not.toThrow()
})

test('a value that JSON cannot hold is not written and does not fail', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  expect(() => writeStored('speak', circular)).not.toThrow()
  expect(items.size).toBe(0)
})
