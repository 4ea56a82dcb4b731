import { expect, test, vi } from 'vitest'
import { steppedClock } from '../../test/support/stepped-clock.ts'
import { drain } from './connection.ts'

/** Reads these chunks, then the end. */
function reader(...sizes: readonly number[]): { next: () => Promise<Uint8Array | undefined>; reads: () => number } {
  let reads = 0
  const next = async (): Promise<Uint8Array | undefined> => {
    const size = sizes[reads]
    reads += 1
    return size === undefined ? undefined : new Uint8Array(size)
  }
  return { next, reads: () => reads }
}

test('a body with a near end is read to its end, without an abort', async () => {
  const clock = steppedClock()
  const giveUp = vi.fn<() => void>()
  const { next, reads } = reader(0, 1000, 64 * 1024 - 1000)
  await drain(next, giveUp, clock)
  expect(reads()).toBe(4)
  expect(giveUp).not.toHaveBeenCalled()
  expect(clock.timers()).toBe(0)
})

test('a longer body is aborted and not read further', async () => {
  const clock = steppedClock()
  const giveUp = vi.fn<() => void>()
  const { next, reads } = reader(64 * 1024, 1, 1, 1)
  await drain(next, giveUp, clock)
  expect(reads()).toBe(2)
  expect(giveUp).toHaveBeenCalledOnce()
  expect(clock.timers()).toBe(0)
})

test('a body without an end is aborted after a second, and the pending read ends', async () => {
  const clock = steppedClock()
  const { promise, reject } = Promise.withResolvers<undefined>()
  const giveUp = vi.fn<() => void>(() => reject(new Error('given up')))
  const drained = drain(() => promise, giveUp, clock)
  clock.advance(999)
  expect(giveUp).not.toHaveBeenCalled()
  clock.advance(1)
  await drained
  expect(giveUp).toHaveBeenCalledOnce()
})

test('a connection that fails in the meantime throws nothing', async () => {
  const clock = steppedClock()
  const giveUp = vi.fn<() => void>()
  await drain(() => Promise.reject(new Error('reset')), giveUp, clock)
  expect(giveUp).not.toHaveBeenCalled()
  expect(clock.timers()).toBe(0)
})
