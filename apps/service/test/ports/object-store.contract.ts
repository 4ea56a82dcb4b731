import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ObjectStore } from '../../src/ports/object-store.ts'

/** An empty object store. */
export interface OpenObjectStore {
  readonly store: ObjectStore
  close(): Promise<void>
}

async function* bytes(...parts: (string | Error)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

/** The contract of every object store driver. */
export function describeObjectStore(name: string, open: () => Promise<OpenObjectStore>): void {
  let opened: OpenObjectStore
  let folder: string
  beforeEach(async () => {
    opened = await open()
    folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  })
  afterEach(async () => {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  })
  const read = async (object: string, part?: { start: number; end: number }): Promise<string | undefined> => {
    const found = await opened.store.open(object, part)
    return found === undefined ? undefined : text(found.stream)
  }
  const names = async (): Promise<string[]> => {
    const listed = []
    for await (const object of opened.store.list()) listed.push(object.name)
    return listed.toSorted()
  }

  describe(`${name}: objects`, () => {
    test('a stored object is read, listed and deleted', async () => {
      const { store } = opened
      expect(await store.put('a.wav', bytes('one', 'two'))).toMatchObject({ bytes: 6 })
      expect(await read('a.wav')).toBe('onetwo')
      const info = await store.stat('a.wav')
      expect(info?.bytes).toBe(6)
      // S3 tells whole seconds.
      expect(Math.abs((info?.storedAt ?? 0) - Date.now())).toBeLessThan(60_000)
      expect(await names()).toEqual(['a.wav'])
      await store.delete('a.wav')
      await store.delete('a.wav')
      expect(await read('a.wav')).toBeUndefined()
      expect(await store.stat('a.wav')).toBeUndefined()
      expect(await names()).toEqual([])
    })

    test('many objects are deleted at once, those that do not exist too', async () => {
      const { store } = opened
      for (const object of ['a', 'b', 'c']) await store.put(object, bytes('one'))
      await store.deleteAll(['a', 'c', 'gone'])
      await store.deleteAll([])
      expect(await names()).toEqual(['b'])
    })

    test('a part is read, with the size of the whole object', async () => {
      await opened.store.put('a', bytes('0123456789'))
      expect(await read('a', { start: 2, end: 4 })).toBe('234')
      expect(await read('a', { start: 9, end: 9 })).toBe('9')
      const part = await opened.store.open('a', { start: 0, end: 0 })
      expect(part?.bytes).toBe(10)
      part?.stream.destroy()
    })

    test('an empty object is an object', async () => {
      expect(await opened.store.put('a', bytes())).toMatchObject({ bytes: 0 })
      expect((await opened.store.stat('a'))?.bytes).toBe(0)
      expect(await read('a')).toBe('')
    })

    test('a large object of many chunks is stored completely', async () => {
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      async function* many(): AsyncGenerator<Uint8Array, void, undefined> {
        for (let n = 0; n < 20; n += 1) yield chunk
      }
      expect(await opened.store.put('a', many())).toMatchObject({ bytes: 20 * chunk.length })
      expect((await opened.store.stat('a'))?.bytes).toBe(20 * chunk.length)
    })

    test.each([0, 20])('a source that fails after %i MB leaves nothing', async (megabytes) => {
      const parts = Array.from({ length: megabytes }, () => 'x'.repeat(1024 * 1024))
      await expect(opened.store.put('a', bytes(...parts, new Error('cut')))).rejects.toThrow('cut')
      expect(await names()).toEqual([])
      expect(await opened.store.stat('a')).toBeUndefined()
    })

    test('a file becomes an object', async () => {
      const path = join(folder, 'upload')
      await writeFile(path, 'content')
      expect(await opened.store.sizeOfFile(path)).toBe(7)
      expect(await opened.store.putFile('b', path)).toMatchObject({ bytes: 7 })
      expect(existsSync(path)).toBe(false)
      expect(await read('b')).toBe('content')
    })

    test('an object is available as a file; a missing one is not', async () => {
      await opened.store.put('a', bytes('content'))
      expect(await opened.store.withFile('a', (path) => readFile(path, 'utf8'))).toBe('content')
      expect(await opened.store.withFile('b', async () => 'called')).toBeUndefined()
    })

    test('a new object replaces one of the same name', async () => {
      await opened.store.put('a', bytes('first'))
      await opened.store.put('a', bytes('second'))
      expect(await read('a')).toBe('second')
    })

    test.each(['../a', '.hidden', 'a/b', '', 'x'.repeat(201)])('%j is not a valid name', async (invalid) => {
      expect(await opened.store.open(invalid)).toBeUndefined()
      expect(await opened.store.stat(invalid)).toBeUndefined()
      await expect(opened.store.put(invalid, bytes('x'))).rejects.toThrow(RangeError)
    })
  })
}
