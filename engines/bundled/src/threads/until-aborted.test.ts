import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { untilAborted } from './until-aborted.ts'

test('work that ends first gives its result, and no listener is left', async () => {
  const { signal } = new AbortController()
  expect(await untilAborted(Promise.resolve('done'), signal)).toBe('done')
  await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort throws its reason at once, and no listener is left', async () => {
  const controller = new AbortController()
  const work = untilAborted(new Promise(() => undefined), controller.signal)
  controller.abort('enough')
  await expect(work).rejects.toBe('enough')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('an aborted signal throws its reason, and a later failure of the work is ignored', async () => {
  const later = Promise.withResolvers<never>()
  await expect(untilAborted(later.promise, AbortSignal.abort('too late'))).rejects.toBe('too late')
  await expect(untilAborted(Promise.resolve(1), AbortSignal.abort('too late'))).rejects.toBe('too late')
  later.reject(new Error('nobody waits'))
  // An unhandled rejection would fail this run.
  await new Promise(setImmediate)
})
