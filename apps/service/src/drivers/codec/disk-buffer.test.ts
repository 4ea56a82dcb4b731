import { getEventListeners } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { array, assert, asyncProperty, nat, uint8Array } from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { collect } from '../../../test/codec/sound.ts'
import { UnsentLimitError } from '@svc-audio/engine-ports'
import { BufferBudget, DiskBuffer, readThroughDisk } from './disk-buffer.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  vi.stubEnv('TMPDIR', folder)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const { signal } = new AbortController()

test('bytes come out as written, from memory or disk, and can be read again', async () => {
  await assert(
    asyncProperty(array(uint8Array({ maxLength: 300 }), { maxLength: 20 }), nat(2000), async (chunks, memoryBytes) => {
      const buffer = new DiskBuffer(signal, { memoryBytes })
      for (const chunk of chunks) await buffer.write(chunk)
      const whole = Buffer.concat(chunks)
      expect(buffer.byteLength).toBe(whole.byteLength)
      for (const _ of [1, 2]) expect((await collect(buffer.read())).equals(whole)).toBe(true)
      await buffer.close()
    }),
    { numRuns: 50 },
  )
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the file can hold more than one read', async () => {
  const buffer = new DiskBuffer(signal, { memoryBytes: 10 })
  const chunk = Buffer.alloc(100_000, 'abc')
  for (let count = 0; count < 5; count += 1) await buffer.write(chunk)
  const read = await collect(buffer.read())
  expect(read.equals(Buffer.concat([chunk, chunk, chunk, chunk, chunk]))).toBe(true)
  await buffer.close()
})

test('its file has no name, so it cannot remain', async () => {
  const buffer = new DiskBuffer(signal, { memoryBytes: 0 })
  await buffer.write(Buffer.from('sound'))
  expect(await readdir(folder)).toEqual([])
  await buffer.close()
  expect(await readdir(folder)).toEqual([])
})

test('an abort closes it, and reading and writing then fail', async () => {
  for (const memoryBytes of [0, 1000]) {
    const controller = new AbortController()
    const buffer = new DiskBuffer(controller.signal, { memoryBytes })
    await buffer.write(Buffer.alloc(70_000))
    await buffer.write(Buffer.alloc(70_000))
    const reading = buffer.read()
    await reading.next()
    controller.abort(new Error('stop'))
    await expect(reading.next()).rejects.toThrow('stop')
    await expect(buffer.write(Buffer.alloc(1))).rejects.toThrow('stop')
    await buffer.close()
  }
})

test('a disk without write access fails the writer, not the closing', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'missing'))
  const buffer = new DiskBuffer(signal, { memoryBytes: 0 })
  await expect(buffer.write(Buffer.alloc(1))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(buffer.close()).resolves.toBeUndefined()
  vi.stubEnv('TMPDIR', folder)
})

test('a follower gets every byte during the writing, from memory or disk', async () => {
  await assert(
    asyncProperty(array(uint8Array({ maxLength: 300 }), { maxLength: 20 }), nat(1000), async (chunks, memoryBytes) => {
      const buffer = new DiskBuffer(signal, { memoryBytes })
      const followed = collect(buffer.follow())
      for (const [index, chunk] of chunks.entries()) {
        await buffer.write(chunk)
        if (index % 3 === 0) await new Promise(setImmediate)
      }
      buffer.end()
      expect((await followed).equals(Buffer.concat(chunks))).toBe(true)
      await buffer.close()
    }),
    { numRuns: 100 },
  )
})

test('an abort ends a waiting follower', async () => {
  const controller = new AbortController()
  const waiting = new DiskBuffer(controller.signal).follow().next()
  controller.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
})

/** Reads a buffer. @returns the number of its bytes */
async function sizeOf(buffer: DiskBuffer): Promise<number> {
  let bytes = 0
  for await (const chunk of buffer.read()) bytes += chunk.byteLength
  return bytes
}

test('memory is bounded for each tenant and in all, and a file takes the rest', async () => {
  const budget = new BufferBudget({ memoryPerTenant: 100, memory: 150 })
  const buffers = ['a', 'a', 'b', 'c'].map((tenant) => new DiskBuffer(signal, { share: budget.of(tenant) }))
  for (const buffer of buffers) for (let n = 0; n < 8; n += 1) await buffer.write(new Uint8Array(10))
  expect(budget.memory).toBe(150)
  expect(budget.bytes).toBe(320)
  for (const buffer of buffers) expect(await sizeOf(buffer)).toBe(80)
  for (const buffer of buffers) await buffer.close()
  expect([budget.memory, budget.bytes]).toEqual([0, 0])
})

test('followed bytes free their memory at once', async () => {
  const budget = new BufferBudget()
  const buffer = new DiskBuffer(signal, { share: budget.of('a') })
  for (let n = 0; n < 3; n += 1) await buffer.write(new Uint8Array(10))
  buffer.end()
  const left: number[] = []
  for await (const chunk of buffer.follow()) left.push(budget.memory + chunk.byteLength)
  expect(left).toEqual([30, 20, 10])
  await buffer.close()
  expect(budget.bytes).toBe(0)
})

test('bytes over the limit of a tenant are refused; another tenant is not affected until the limit of all', async () => {
  const budget = new BufferBudget({ memoryPerTenant: 10, bytesPerTenant: 50, bytes: 80 })
  const open = (tenant: string): DiskBuffer => new DiskBuffer(signal, { share: budget.of(tenant) })
  const [first, second, other] = [open('a'), open('a'), open('b')]
  await first.write(new Uint8Array(50))
  await expect(second.write(new Uint8Array(1))).rejects.toThrow(UnsentLimitError)
  await other.write(new Uint8Array(30))
  await expect(other.write(new Uint8Array(1))).rejects.toThrow(UnsentLimitError)
  await first.close()
  await second.write(new Uint8Array(50))
  for (const buffer of [second, other]) await buffer.close()
  expect(budget.bytes).toBe(0)
})

test('an aborted buffer releases its share', async () => {
  const budget = new BufferBudget()
  const controller = new AbortController()
  const buffer = new DiskBuffer(controller.signal, { share: budget.of('a') })
  await buffer.write(new Uint8Array(10))
  controller.abort(new Error('gone'))
  expect(budget.bytes).toBe(0)
})

const CHUNK = Buffer.alloc(100_000, 'abc')

test('the producer ends while the reader stalls, and the reader still gets every byte', async () => {
  const ended = Promise.withResolvers<undefined>()
  const reader = readThroughDisk(async (write) => {
    for (let count = 0; count < 50; count += 1) await write(CHUNK)
    ended.resolve(undefined)
  }, signal)
  const first = await reader.next()
  await ended.promise
  const rest = await collect(reader)
  expect((first.value as Uint8Array).byteLength + rest.byteLength).toBe(50 * CHUNK.byteLength)
})

test('a failed producer throws to the reader', async () => {
  const reader = readThroughDisk(async (write) => {
    await write(CHUNK)
    throw new Error('broken')
  }, signal)
  await expect(collect(reader)).rejects.toThrow('broken')
})

test('a reader that stops early stops the producer', async () => {
  const stopped = Promise.withResolvers<undefined>()
  const reader = readThroughDisk(async (write, stop) => {
    stop.addEventListener('abort', () => stopped.resolve(undefined))
    await write(CHUNK)
    await stopped.promise
  }, signal)
  await reader.next()
  await reader.return(undefined)
  expect(await stopped.promise).toBeUndefined()
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})
