import { getEventListeners } from 'node:events'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigurationError } from '../errors.ts'
import { createSemaphore } from './semaphore.ts'

const never = (): AbortSignal => new AbortController().signal

/** Lets whatever is ready continue. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('at most maxConcurrent callers hold a place, first come, first served', async () => {
  const semaphore = createSemaphore(2)
  const passed: number[] = []
  const releases: (() => void)[] = []
  for (let index = 0; index < 5; index += 1) {
    const enter = async (): Promise<void> => {
      releases.push(await semaphore.acquire(never()))
      passed.push(index)
    }
    void enter()
  }
  await turn()
  expect(passed).toEqual([0, 1])
  releases.shift()?.()
  await turn()
  expect(passed).toEqual([0, 1, 2])
  for (const release of releases) release()
  await turn()
  expect(passed).toEqual([0, 1, 2, 3, 4])
})

test('an abort in the queue takes no place and removes its listener', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(never())
  const controller = new AbortController()
  const waiting = semaphore.acquire(controller.signal)
  const next = semaphore.acquire(never())
  controller.abort('enough')
  await expect(waiting).rejects.toBe('enough')
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  release()
  await expect(next).resolves.toBeTypeOf('function')
})

test('an already aborted signal rejects at once', async () => {
  const semaphore = createSemaphore(1)
  await expect(semaphore.acquire(AbortSignal.abort('over'))).rejects.toBe('over')
  await expect(semaphore.acquire(never())).resolves.toBeTypeOf('function')
})

test.each([0, -1, 1.5, Number.NaN, Infinity])('%d places are no semaphore', (places) => {
  expect(() => createSemaphore(places)).toThrow(ConfigurationError)
})

test('every place is in use or free after any sequence of calls and aborts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('come', 'leave', 'give up'), { maxLength: 40 }),
      async (places, steps) => {
        const semaphore = createSemaphore(places)
        const inside: (() => void)[] = []
        const waiting = new Set<AbortController>()
        for (const step of steps) {
          if (step === 'come') {
            const controller = new AbortController()
            waiting.add(controller)
            const enter = async (): Promise<void> => {
              inside.push(await semaphore.acquire(controller.signal))
            }
            void enter()
              .catch(() => {})
              .finally(() => waiting.delete(controller))
          } else if (step === 'leave') inside.shift()?.()
          else [...waiting].at(-1)?.abort()
          await turn()
          expect(inside.length).toBeLessThanOrEqual(places)
          expect(waiting.size === 0 || inside.length === places).toBe(true)
        }
      },
    ),
    { numRuns: 60 },
  )
})
