import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { Changes } from './changes.ts'

test('a wait checks at once, and again after each change', async () => {
  const changes = new Changes()
  let looks = 0
  const found = changes.until(() => {
    looks += 1
    return looks === 3 ? 'found' : undefined
  })
  expect(looks).toBe(1)
  changes.notify()
  await Promise.resolve()
  expect(looks).toBe(2)
  changes.notify()
  expect(await found).toBe('found')
})

test('a wait rejects with the error of its check', async () => {
  const changes = new Changes()
  const failing = changes.until(() => {
    throw new Error('lost')
  })
  await expect(failing).rejects.toThrow('lost')
})

test('an aborted or successful wait removes its listener', async () => {
  const changes = new Changes()
  const controller = new AbortController()
  const { signal } = controller
  let found: true | undefined
  const first = changes.until(() => found, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  found = true
  changes.notify()
  await first
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  const second = changes.until(() => undefined, signal)
  controller.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  await expect(changes.until(() => true, signal)).rejects.toThrow('enough')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
