import { expect, test } from 'vitest'
import { createLimiter } from './limiter.ts'

const never = new AbortController().signal

/** Tasks that end when they are told to. */
function tasks(count: number): { start: (() => Promise<number>)[]; end: ((error?: Error) => void)[]; begun: number[] } {
  const begun: number[] = []
  const parts = Array.from({ length: count }, (_, index) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    return {
      start: () => {
        begun.push(index)
        return promise
      },
      end: (error?: Error) => (error === undefined ? resolve(index) : reject(error)),
    }
  })
  return { start: parts.map(({ start }) => start), end: parts.map(({ end }) => end), begun }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('no more run than allowed, first come first served', async () => {
  const limit = createLimiter(2)
  const { start, end, begun } = tasks(4)
  const results = start.map((task) => limit(task, never))
  await turn()
  expect(begun).toEqual([0, 1])
  end[1]?.()
  await turn()
  await turn()
  expect(begun).toEqual([0, 1, 2])
  for (const finish of end) finish()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3])
})

test('a task that fails makes room', async () => {
  const limit = createLimiter(1)
  const { start, end } = tasks(2)
  const [first, second] = start.map((task) => limit(task, never))
  end[0]?.(new Error('no'))
  end[1]?.()
  await expect(first).rejects.toThrow('no')
  expect(await second).toBe(1)
})

test('whoever learns of a failure can take back what waits', async () => {
  const limit = createLimiter(1)
  const { start, end, begun } = tasks(2)
  const failed = new AbortController()
  const [first, second] = start.map((task) => limit(task, failed.signal))
  end[0]?.(new Error('no'))
  await first?.catch((error: unknown) => failed.abort(error))
  await expect(second).rejects.toThrow('no')
  expect(begun).toEqual([0])
})

test('what waits gives up with the reason of its signal, and is never run', async () => {
  const limit = createLimiter(1)
  const { start, end, begun } = tasks(3)
  const leaving = new AbortController()
  const results = start.map((task, index) => limit(task, index === 1 ? leaving.signal : never))
  leaving.abort(new Error('left'))
  await expect(results[1]).rejects.toThrow('left')
  for (const finish of end) finish()
  await Promise.all([results[0], results[2]])
  expect(begun).toEqual([0, 2])
})

test('a signal that has aborted already runs nothing', async () => {
  const { start, begun } = tasks(1)
  await expect(
    createLimiter(1)(start[0] ?? (() => Promise.resolve(0)), AbortSignal.abort(new Error('left'))),
  ).rejects.toThrow('left')
  expect(begun).toEqual([])
})
