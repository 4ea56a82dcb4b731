import { expect, test } from 'vitest'
import { collect } from '../../../test/codec/sound.ts'
import { readThroughDisk } from './disk-reader.ts'

const never = new AbortController().signal
const CHUNK = Buffer.alloc(100_000, 'abc')

test('the producer ends while the reader stalls, and the reader still gets every byte', async () => {
  const ended = Promise.withResolvers<undefined>()
  const reader = readThroughDisk(async (write) => {
    for (let count = 0; count < 50; count += 1) await write(CHUNK)
    ended.resolve(undefined)
  }, never)
  const first = await reader.next()
  await ended.promise
  const rest = await collect(reader)
  expect((first.value as Uint8Array).byteLength + rest.byteLength).toBe(50 * CHUNK.byteLength)
})

test('a failed producer throws to the reader', async () => {
  const reader = readThroughDisk(async (write) => {
    await write(CHUNK)
    throw new Error('broken')
  }, never)
  await expect(collect(reader)).rejects.toThrow('broken')
})

test('a reader that stops early stops the producer', async () => {
  const stopped = Promise.withResolvers<undefined>()
  const reader = readThroughDisk(async (write, signal) => {
    signal.addEventListener('abort', () => stopped.resolve(undefined))
    await write(CHUNK)
    await stopped.promise
  }, never)
  await reader.next()
  await reader.return(undefined)
  expect(await stopped.promise).toBeUndefined()
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})
