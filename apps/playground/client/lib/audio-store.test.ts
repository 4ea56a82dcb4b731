import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeCaches } from '../test/fake-caches.ts'

let caches: FakeCaches
/** The page after a reload: its memory is empty. */
async function load(): Promise<typeof import('./client.ts')> {
  vi.resetModules()
  return import('./client.ts')
}
const AUDIO = new Blob(['RIFF-audio'], { type: 'audio/wav' })

beforeEach(() => {
  caches = new FakeCaches()
  vi.stubGlobal('caches', caches)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('stored audio survives a reload, with its type', async () => {
  const { storeAudio } = await load()
  await storeAudio('local-1', AUDIO)
  const { storedAudio } = await load()
  const audio = await storedAudio('local-1')
  expect([await audio?.text(), audio?.type]).toEqual(['RIFF-audio', 'audio/wav'])
  expect(await storedAudio('local-1'), 'the same audio again').toBe(audio)
})

test('removed audio is gone, also after a reload', async () => {
  const { storeAudio, removeAudio, storedAudio } = await load()
  await storeAudio('local-1', AUDIO)
  await removeAudio('local-1')
  expect([await storedAudio('local-1'), caches.size]).toEqual([undefined, 0])
})

test('audio of more than 100 MB stays as long as the page', async () => {
  const { storeAudio, storedAudio } = await load()
  const large = Object.defineProperty(new Blob(['x']), 'size', { value: 100_000_001 })
  await storeAudio('local-1', large)
  expect([await storedAudio('local-1'), caches.size]).toEqual([large, 0])
})

test('a browser that has no cache, or no room in it, stores audio as long as the page', async () => {
  vi.stubGlobal('caches', undefined)
  const { storeAudio, storedAudio } = await load()
  await storeAudio('local-1', AUDIO)
  expect([await storedAudio('local-1'), await storedAudio('local-2')]).toEqual([AUDIO, undefined])
})
