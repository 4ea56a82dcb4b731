import { getEventListeners } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { array, assert, asyncProperty, nat, uint8Array } from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { collect } from '../../../test/codec/sound.ts'
import { DiskBuffer } from './disk-buffer.ts'

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
