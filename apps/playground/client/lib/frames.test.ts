import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore, subscribeFrames } from './store.ts'

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
