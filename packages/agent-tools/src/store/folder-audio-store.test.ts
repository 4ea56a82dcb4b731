import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audioStoreContract } from '../../test/support/audio-store-contract.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { folderAudioStore } from './folder-audio-store.ts'
import { memoryAudioStore } from './memory-audio-store.ts'

async function* bytes(...values: number[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield Uint8Array.from(values)
}

describe('a folder as a store', () => {
  audioStoreContract(async () => folderAudioStore(await temporaryFolder()))
})

describe('memory as a store', () => {
  audioStoreContract(() => memoryAudioStore())
})

test('the folder is created when needed, and a relative one is resolved at once', async () => {
  const folder = join(await temporaryFolder(), 'a', 'b')
  const store = folderAudioStore(relative(process.cwd(), folder))
  const { id } = await store.put(bytes(1), { contentType: 'audio/wav' })
  await expect(store.pathOf(id)).resolves.toBe(join(folder, id))
  await expect(store.pathOf('../x')).resolves.toBeUndefined()
  expect([...(await readFile(join(folder, id)))]).toEqual([1])
})

test('an id has 128 random bits and tells the type', async () => {
  const store = folderAudioStore(await temporaryFolder())
  const { id } = await store.put(bytes(1), { contentType: 'audio/wav' })
  expect(id).toMatch(/^audio_[0-9a-f]{32}\.wav$/)
})

test.each([
  ['audio/mpeg', 'mp3', 'audio/mpeg'],
  ['AUDIO/X-WAV; codecs=1', 'wav', 'audio/wav'],
  ['audio/ogg;codecs=opus', 'ogg', 'audio/ogg'],
  ['audio/flac', 'flac', 'audio/flac'],
  ['application/octet-stream', 'bin', 'application/octet-stream'],
  ['text/html', 'bin', 'application/octet-stream'],
  ['../../x', 'bin', 'application/octet-stream'],
  ['', 'bin', 'application/octet-stream'],
])('%j is stored as .%s', async (contentType, extension, stored) => {
  const store = folderAudioStore(await temporaryFolder())
  const { id, contentType: type } = await store.put(bytes(1, 2), { contentType })
  expect(id.endsWith(`.${extension}`)).toBe(true)
  expect(type).toBe(stored)
  await expect(store.open(id)).resolves.toMatchObject({ contentType: stored, bytes: 2 })
})

test('a file shows under its name only once it is whole', async () => {
  const folder = await temporaryFolder()
  const seen: string[][] = []
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    yield new Uint8Array(100)
    seen.push(await readdir(folder))
    yield new Uint8Array(100)
  }
  const { id } = await folderAudioStore(folder).put(watched(), { contentType: 'audio/wav' })
  expect(seen).toEqual([[expect.stringMatching(/^audio_.*\.part$/)]])
  await expect(readdir(folder)).resolves.toEqual([id])
})

test('nothing stays of audio that failed or was aborted', async () => {
  const folder = await temporaryFolder()
  const store = folderAudioStore(folder)
  const controller = new AbortController()
  async function* aborted(): AsyncGenerator<Uint8Array, void, undefined> {
    yield new Uint8Array(10)
    controller.abort()
    yield new Uint8Array(10)
  }
  const { signal } = controller
  await expect(store.put(aborted(), { contentType: 'audio/wav', signal })).rejects.toThrow('aborted')
  await expect(readdir(folder)).resolves.toEqual([])
})

describe('an id cannot lead anywhere else', () => {
  const name = `audio_${'0'.repeat(32)}.wav`

  test.each([
    ['a path up', '../secret.wav'],
    ['a path up to a file of the right name', `../${name}`],
    ['an absolute path', `/etc/${name}`],
    ['a folder below', `below/${name}`],
    ['a backslash', `..\\${name}`],
    ['an encoded slash', `..%2f${name}`],
    ['a NUL', `${name}\0.wav`],
    ['a line break at the end', `${name}\n`],
    ['an upper-case name', name.toUpperCase()],
    ['another ending', name.replace('.wav', '.exe')],
    ['an unfinished file', `${name}.part`],
    ['a dot', '.'],
    ['nothing', ''],
  ])('%s', async (_, id) => {
    const parent = await temporaryFolder()
    const folder = join(parent, 'audio')
    await mkdir(join(folder, 'below'), { recursive: true })
    for (const path of ['secret.wav', name, `audio/below/${name}`, `audio/${name}.part`]) {
      await writeFile(join(parent, path), 'secret')
    }
    await expect(folderAudioStore(folder).open(id)).resolves.toBeUndefined()
  })

  test('a link or a folder of the right name', async () => {
    const folder = await temporaryFolder()
    const store = folderAudioStore(folder)
    const { id } = await store.put(bytes(1), { contentType: 'audio/wav' })
    const path = join(folder, id)
    await rename(path, join(folder, 'elsewhere'))
    await symlink(join(folder, 'elsewhere'), path)
    await expect(store.open(id)).resolves.toBeUndefined()
    await mkdir(join(folder, name))
    await expect(store.open(name)).resolves.toBeUndefined()
  })
})

test('ready creates the folder, and throws where audio cannot be stored', async () => {
  const folder = await temporaryFolder()
  await folderAudioStore(join(folder, 'audio')).ready?.()
  await expect(readdir(folder)).resolves.toEqual(['audio'])
  await writeFile(join(folder, 'file'), '')
  await expect(folderAudioStore(join(folder, 'file')).ready?.()).rejects.toThrow('EEXIST')
})

test('memory drops the oldest audio for new audio', async () => {
  const store = memoryAudioStore({ maxBytes: 5 })
  const first = await store.put(bytes(1, 2, 3), { contentType: 'audio/wav' })
  const second = await store.put(bytes(4, 5), { contentType: 'audio/wav' })
  await expect(store.open(first.id)).resolves.toBeDefined()
  await store.put(bytes(6), { contentType: 'audio/wav' })
  await expect(store.open(first.id)).resolves.toBeUndefined()
  await expect(store.open(second.id)).resolves.toBeDefined()
  await expect(store.put(bytes(1, 2, 3, 4, 5, 6), { contentType: 'audio/wav' })).rejects.toThrow('maxBytes')
  expect(() => memoryAudioStore({ maxBytes: 0 })).toThrow('maxBytes')
})

test('a folder that cannot be made fails the put', async () => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  await expect(folderAudioStore(file).put(bytes(1), { contentType: 'audio/wav' })).rejects.toThrow('EEXIST')
})
