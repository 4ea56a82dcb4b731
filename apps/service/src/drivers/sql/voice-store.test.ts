import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { VoiceParameters } from '@svc-audio/engine-ports'
import type { Idempotency } from '../../ports/response-store.ts'
import type { StoredVoice, VoiceStore } from '../../ports/voice-store.ts'
import { openDatabase } from '../sqlite/database.ts'
import { createVoiceStore } from './voice-store.ts'
import { shareSqlite } from '../sqlite/service-database.ts'

const PARAMETERS: VoiceParameters = { base: 'awb', pitchHz: 103.9, rangeSemitones: 2.034, tempo: 0.9, size: 1.029 }

let folder: string
let database: ReturnType<typeof openDatabase>
let voices: VoiceStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-voices-'))
  database = openDatabase(join(folder, 'test.sqlite'))
  voices = createVoiceStore(shareSqlite(database))
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true, force: true })
})

async function make(id: string, more: Partial<StoredVoice> = {}, idempotency?: Idempotency): Promise<StoredVoice> {
  const plain = { tenant: 'first', name: '', description: '', status: 'active', parameters: PARAMETERS } as const
  const made = await voices.create({ ...plain, id, ...more }, idempotency)
  if (made.outcome !== 'accepted') throw Object.assign(new Error(made.outcome), made)
  return made.voice
}
const ids = (found: readonly StoredVoice[]): string[] => found.map(({ id }) => id)

describe('the voice store', () => {
  test('a voice is read as written', async () => {
    const made = await make('voice_1', { name: 'Ägidius 🎉', description: "a 'quoted' text" })
    expect(Math.abs(made.createdAt - Date.now() / 1000)).toBeLessThan(5)
    expect(await voices.find('first', ['voice_1'])).toEqual([made])
    expect(await voices.parametersOf('voice_1')).toEqual(PARAMETERS)
  })

  test('voices survive a restart', async () => {
    const made = await make('voice_1')
    await database.destroy()
    database = openDatabase(join(folder, 'test.sqlite'))
    voices = createVoiceStore(shareSqlite(database))
    expect(await voices.list('first', { limit: 10 })).toEqual([made])
  })

  test('an unknown voice is not found', async () => {
    await make('voice_1')
    expect(await voices.find('first', ['voice_2', ''])).toEqual([])
    expect(await voices.find('first', [])).toEqual([])
    expect(await voices.parametersOf('voice_2')).toBeUndefined()
  })

  test('many ids are looked up at once', async () => {
    await make('voice_1')
    await make('voice_2')
    const many = Array.from({ length: 5000 }, (_, n) => `other_${n}`)
    expect(ids(await voices.find('first', ['voice_2', ...many, 'voice_1'])).toSorted()).toEqual(['voice_1', 'voice_2'])
  })

  test('an id is unique across tenants', async () => {
    await make('voice_1')
    await expect(make('voice_1', { tenant: 'second' })).rejects.toThrow('UNIQUE')
  })

  test('tenants never see other tenants’ voices', async () => {
    await make('voice_1')
    await make('voice_2', { tenant: 'second' })
    expect(ids(await voices.find('second', ['voice_1', 'voice_2']))).toEqual(['voice_2'])
    expect(ids(await voices.list('second', { limit: 10 }))).toEqual(['voice_2'])
    expect(await voices.list('third', { limit: 10 })).toEqual([])
    expect(await voices.list('second', { limit: 10, after: 'voice_1' })).toEqual([])
  })
})

describe('a voice with an idempotency key', () => {
  const key = { key: 'k', fingerprint: 'f' }

  test('of the same request is the same voice, without a second one', async () => {
    await make('voice_1', {}, key)
    await expect(make('voice_2', {}, key)).rejects.toMatchObject({ outcome: 'repeated', answer: { voice: 'voice_1' } })
    expect(ids(await voices.list('first', { limit: 10 }))).toEqual(['voice_1'])
  })

  test('of another request is refused; another tenant’s key is a different key', async () => {
    await make('voice_1', {}, key)
    await expect(make('voice_2', {}, { ...key, fingerprint: 'g' })).rejects.toThrow('conflict')
    expect((await make('voice_3', { tenant: 'second' }, { ...key, fingerprint: 'g' })).id).toBe('voice_3')
    expect(ids(await voices.list('first', { limit: 10 }))).toEqual(['voice_1'])
  })

  test('that cannot be stored leaves its key free', async () => {
    await make('voice_1')
    await expect(make('voice_1', {}, key)).rejects.toThrow('UNIQUE')
    expect((await make('voice_2', {}, key)).id).toBe('voice_2')
  })

  test('that is deleted stays in its key as it was, and another key is unchanged', async () => {
    const other = { key: 'l', fingerprint: 'f' }
    const { createdAt } = await make('voice_1', { name: 'Me' }, key)
    await make('voice_2', {}, other)
    expect(await voices.delete('second', 'voice_1')).toBe(false)
    await expect(make('voice_3', {}, key)).rejects.toHaveProperty('answer', { voice: 'voice_1' })
    expect(await voices.delete('first', 'voice_1')).toBe(true)
    expect(await voices.delete('first', 'voice_1')).toBe(false)
    const response = { voice: 'voice_1', name: 'Me', createdAt }
    await expect(make('voice_4', {}, key)).rejects.toMatchObject({ outcome: 'repeated', answer: response })
    await expect(make('voice_5', {}, other)).rejects.toHaveProperty('answer', { voice: 'voice_2' })
    expect(ids(await voices.list('first', { limit: 10 }))).toEqual(['voice_2'])
  })

  test('is made once for many concurrent requests with one key', async () => {
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => make(`voice_${n}`, {}, key)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await voices.list('first', { limit: 10 })).toHaveLength(1)
  })
})

describe('a list', () => {
  beforeEach(async () => {
    // ids in another order than they are made in, and another tenant's between them
    for (const id of ['v_e', 'v_b', 'v_d']) await make(id)
    await make('v_x', { tenant: 'second' })
    for (const id of ['v_a', 'v_c']) await make(id, { status: id === 'v_a' ? 'failed' : 'active' })
  })

  test('is in the order of creation', async () => {
    expect(ids(await voices.list('first', { limit: 10 }))).toEqual(['v_e', 'v_b', 'v_d', 'v_a', 'v_c'])
  })

  test('has a limit and an offset', async () => {
    expect(ids(await voices.list('first', { limit: 2, offset: 1 }))).toEqual(['v_b', 'v_d'])
    expect(await voices.list('first', { limit: 0 })).toEqual([])
    expect(await voices.list('first', { limit: 10, offset: Number.MAX_SAFE_INTEGER })).toEqual([])
  })

  test('continues after a voice, and a new voice does not change it', async () => {
    expect(ids(await voices.list('first', { limit: 2, after: 'v_b' }))).toEqual(['v_d', 'v_a'])
    await make('v_0')
    expect(ids(await voices.list('first', { limit: 9, after: 'v_a' }))).toEqual(['v_c', 'v_0'])
    expect(await voices.list('first', { limit: 9, after: 'v_0' })).toEqual([])
  })

  test('is filtered by status, the cursor too', async () => {
    expect(ids(await voices.list('first', { limit: 9, status: 'failed' }))).toEqual(['v_a'])
    expect(ids(await voices.list('first', { limit: 9, status: 'active', after: 'v_d' }))).toEqual(['v_c'])
    expect(ids(await voices.list('first', { limit: 1, offset: 3, status: 'active' }))).toEqual(['v_c'])
  })
})
