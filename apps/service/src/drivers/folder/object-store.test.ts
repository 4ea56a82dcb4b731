import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describeObjectStore } from '../../../test/ports/object-store.contract.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ObjectStore } from '../../ports/object-store.ts'
import { createFolderObjectStore } from './object-store.ts'

let folder: string
let store: ObjectStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  store = await createFolderObjectStore(join(folder, 'objects'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function* bytes(...parts: (string | Error)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

async function read(name: string): Promise<string | undefined> {
  const object = await store.open(name)
  return object === undefined ? undefined : text(object.stream)
}

test('a failing source leaves nothing', async () => {
  await expect(store.put('a', bytes('half', new Error('cut')))).rejects.toThrow('cut')
  expect(await readdir(join(folder, 'objects'))).toEqual([])
})

test('an unfinished object is neither read nor listed', async () => {
  let checked = false
  async function* slow(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from('half')
    expect(await read('a')).toBeUndefined()
    for await (const { name } of store.list()) expect(name).toBe('')
    checked = true
  }
  await store.put('a', slow())
  expect(checked).toBe(true)
})

test('a reader continues when the object is deleted', async () => {
  await store.put('a', bytes('content'))
  const object = await store.open('a')
  await store.delete('a')
  expect(object === undefined ? '' : await text(object.stream)).toBe('content')
})

test('a start removes the incomplete files of a crash, and only those', async () => {
  await store.put('a', bytes('whole'))
  await writeFile(join(folder, 'objects', '.6ba7b810.part'), 'half')
  store = await createFolderObjectStore(join(folder, 'objects'))
  expect(await readdir(join(folder, 'objects'))).toEqual(['a'])
})

describeObjectStore('a folder', async () => ({ store, close: async () => {} }))
