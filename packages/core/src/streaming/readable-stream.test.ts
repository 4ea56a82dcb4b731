import { expect, test } from 'vitest'
import { listAll } from '../../test/support/clients.ts'
import { toReadableStream } from './base64.ts'

async function* numbers(log: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let value = 1; value <= 3; value += 1) {
      log.push(`made ${value}`)
      yield Uint8Array.of(value)
    }
  } finally {
    log.push('left')
  }
}

test('a chunk is made only when it is read', async () => {
  const log: string[] = []
  const reader = toReadableStream(numbers(log)).getReader()
  await new Promise(setImmediate)
  expect(log).toEqual([])
  await expect(reader.read()).resolves.toEqual({ done: false, value: Uint8Array.of(1) })
  await new Promise(setImmediate)
  expect(log).toEqual(['made 1'])
  await reader.cancel()
  expect(log).toEqual(['made 1', 'left'])
})

test('the stream ends and fails as its source does', async () => {
  expect(await listAll(toReadableStream(numbers([])))).toHaveLength(3)
  const failing = (async function* fail(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Uint8Array.of(1)
    throw new Error('torn')
  })()
  await expect(listAll(toReadableStream(failing))).rejects.toThrow('torn')
})
