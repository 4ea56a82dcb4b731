import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FileStore } from '../../src/ports/file-store.ts'
import { KEYS_PER_TENANT, type KeyStore, TooManyKeysError } from '../../src/ports/key-store.ts'
import type { StorageLedger } from '../../src/ports/storage-ledger.ts'
import type { VoiceStore } from '../../src/ports/voice-store.ts'
import type { WebhookSecrets } from '../../src/ports/webhook-outbox.ts'
import { START } from './stores.ts'

/** The empty stores of records of a driver, on a manual clock. */
export interface RecordStores {
  readonly files: FileStore
  readonly voices: VoiceStore
  readonly keys: KeyStore
  readonly secrets: WebhookSecrets
  readonly ledger: StorageLedger
  /** Milliseconds since 1970; starts at {@link START}. */
  readonly clock: { now: number }
  close(): Promise<void>
}

const file = { tenant: 'first', filename: 'a.wav', purpose: 'audio', bytes: 600_000_000_000 }
const voice = {
  tenant: 'first',
  name: 'Ägidius 🎉',
  description: "a 'quoted' text",
  status: 'active',
  parameters: { base: 'awb', pitchHz: 103.9, rangeSemitones: 2.034, tempo: 0.9, size: 1.029 },
} as const
const idempotency = { key: 'k', fingerprint: 'f' }

/** The contract of every driver of files, voices, keys, secrets and the ledger. */
export function describeRecordStores(name: string, open: () => Promise<RecordStores>): void {
  let stores: RecordStores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())

  describe(`${name}: files`, () => {
    test('a file is found by its tenant only, and listed with the newest first', async () => {
      for (const id of ['f1', 'f2', 'f3']) await stores.files.accept({ ...file, id })
      await stores.files.accept({ ...file, id: 'other', purpose: 'music' })
      expect(await stores.files.find('first', 'f1')).toEqual({ ...file, id: 'f1', createdAt: START / 1000 })
      expect(await stores.files.find('second', 'f1')).toBeUndefined()
      const list = await stores.files.list('first', { limit: 2, offset: 1, purpose: 'audio' })
      expect(list.map(({ id }) => id)).toEqual(['f2', 'f1'])
      expect(await stores.files.list('second', { limit: 10, offset: 0 })).toEqual([])
      expect(await stores.files.known(['f2', 'nobody'])).toEqual(new Set(['f2']))
    })

    test('a repeated upload returns the file; one of many at once is accepted', async () => {
      const ids = Array.from({ length: 10 }, (_, n) => `f${n}`)
      const all = await Promise.all(ids.map((id) => stores.files.accept({ ...file, id, idempotency })))
      expect(all.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1)
      expect(all.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(9)
      const other = await stores.files.accept({ ...file, id: 'x', idempotency: { ...idempotency, fingerprint: 'g' } })
      expect(other).toEqual({ outcome: 'conflict' })
    })

    test('a deleted file is gone, its key stays; old files are forgotten', async () => {
      await stores.files.accept({ ...file, id: 'f1', idempotency })
      expect(await stores.files.delete('second', 'f1')).toBe(false)
      expect(await stores.files.delete('first', 'f1')).toBe(true)
      expect(await stores.files.delete('first', 'f1')).toBe(false)
      expect((await stores.files.accept({ ...file, id: 'f2', idempotency })).outcome).toBe('conflict')
      await stores.files.accept({ ...file, id: 'f3' })
      expect(await stores.files.forget({ before: START, limit: 10 })).toMatchObject({ objects: [] })
      expect(await stores.files.forget({ before: START + 1000, limit: 10 })).toMatchObject({ objects: ['f3'] })
    })

    test('every character of a name is accepted', async () => {
      await stores.files.accept({ ...file, id: 'f1', filename: 'nul \0 and \u{1F3B5}.wav' })
      expect((await stores.files.find('first', 'f1'))?.filename).toMatch(/^nul . and \u{1F3B5}\.wav$/u)
      expect(await stores.files.find('first', 'f\0')).toBeUndefined()
    })
  })

  describe(`${name}: voices`, () => {
    test('a voice is read as written, by its tenant only', async () => {
      const made = await stores.voices.create({ ...voice, id: 'v1' })
      if (made.outcome !== 'accepted') throw new Error(made.outcome)
      expect(await stores.voices.find('first', ['v1', 'nobody'])).toEqual([made.voice])
      expect(await stores.voices.find('second', ['v1'])).toEqual([])
      expect(await stores.voices.parametersOf('v1')).toEqual(voice.parameters)
      expect(await stores.voices.parametersOf('nobody')).toBeUndefined()
    })

    test('pages follow the order of creation', async () => {
      for (const id of ['v1', 'v2', 'v3']) await stores.voices.create({ ...voice, id })
      const ids = async (slice: Parameters<VoiceStore['list']>[1]) =>
        (await stores.voices.list('first', slice)).map(({ id }) => id)
      expect(await ids({ limit: 2 })).toEqual(['v1', 'v2'])
      expect(await ids({ limit: 2, after: 'v1' })).toEqual(['v2', 'v3'])
      expect(await ids({ limit: 2, offset: 2 })).toEqual(['v3'])
      expect(await ids({ limit: 2, after: 'nobody' })).toEqual([])
      expect(await ids({ limit: 2, status: 'failed' })).toEqual([])
    })

    test('a repeated creation returns its voice, also after its deletion', async () => {
      await stores.voices.create({ ...voice, id: 'v1' }, idempotency)
      const again = await stores.voices.create({ ...voice, id: 'v2' }, idempotency)
      expect(again).toEqual({ outcome: 'repeated', answer: { voice: 'v1' } })
      expect(await stores.voices.delete('second', 'v1')).toBe(false)
      expect(await stores.voices.delete('first', 'v1')).toBe(true)
      const late = await stores.voices.create({ ...voice, id: 'v3' }, idempotency)
      expect(late).toMatchObject({ outcome: 'repeated', answer: { voice: 'v1', name: voice.name } })
    })
  })

  describe(`${name}: keys and secrets`, () => {
    test('a key belongs to its tenant until it is deleted', async () => {
      const { id, key } = await stores.keys.create('first')
      expect(await stores.keys.find(key)).toEqual({ id, tenant: 'first' })
      expect(await stores.keys.find('unknown')).toBeUndefined()
      expect(await stores.keys.list()).toMatchObject([{ id, tenant: 'first' }])
      expect(await stores.keys.count()).toBe(1)
      expect(await stores.keys.delete(id)).toBe(true)
      expect(await stores.keys.delete(id)).toBe(false)
      expect(await stores.keys.find(key)).toBeUndefined()
    })

    test('a tenant has at most 100 keys that have not expired; a rotation may exceed it', async () => {
      await stores.keys.create('first', 0)
      const oldest = await stores.keys.create('first')
      for (let made = 1; made < KEYS_PER_TENANT; made += 1) await stores.keys.create('first', 60)
      await expect(stores.keys.create('first')).rejects.toThrow(
        'first has 100 keys, the maximum of a tenant: delete one first',
      )
      expect(await stores.keys.create('second')).toBeDefined()
      expect(await stores.keys.rotate(oldest.id, 0)).toBeDefined()
      await expect(stores.keys.create('first')).rejects.toThrow(TooManyKeysError)
      const another = (await stores.keys.list()).find(({ expiresAt = 0 }) => expiresAt > Date.now() / 1000)
      expect(await stores.keys.delete(another?.id ?? '')).toBe(true)
      expect(await stores.keys.create('first')).toBeDefined()
    })

    test('a key with a lifetime expires', async () => {
      const [lasting, expired] = [await stores.keys.create('first', 60), await stores.keys.create('first', 0)]
      expect(await stores.keys.find(lasting.key)).toBeDefined()
      expect(await stores.keys.find(expired.key)).toBeUndefined()
      expect((await stores.keys.list()).map(({ expiresAt }) => typeof expiresAt)).toEqual(['number', 'number'])
    })

    test('a rotated key works for a time beside its successor, and an earlier expiry stays', async () => {
      const [old, short] = [await stores.keys.create('first'), await stores.keys.create('first', 0)]
      const next = await stores.keys.rotate(old.id, 60)
      expect(await stores.keys.find(next?.key ?? '')).toEqual({ id: next?.id, tenant: 'first' })
      expect(await stores.keys.find(old.key)).toBeDefined()
      await stores.keys.rotate(old.id, 0)
      expect(await stores.keys.find(old.key)).toBeUndefined()
      await stores.keys.rotate(short.id, 60)
      expect(await stores.keys.find(short.key)).toBeUndefined()
      expect(await stores.keys.rotate('unknown', 60)).toBeUndefined()
    })

    test('the use of a key is recorded', async () => {
      const [used, other] = [await stores.keys.create('first'), await stores.keys.create('first')]
      await stores.keys.recordUse([used.id])
      await stores.keys.recordUse([])
      const uses = new Map((await stores.keys.list()).map(({ id, usedAt }) => [id, usedAt]))
      expect(uses.get(used.id)).toBeGreaterThan(1_700_000_000)
      expect(uses.get(other.id)).toBeUndefined()
    })

    test('a tenant is suspended until it is resumed', async () => {
      await stores.keys.suspend('first', true)
      await stores.keys.suspend('first', true)
      expect([...(await stores.keys.suspended())]).toEqual(['first'])
      await stores.keys.suspend('first', false)
      expect([...(await stores.keys.suspended())]).toEqual([])
    })

    test('a tenant has one secret, also when many ask for the first time at once', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => stores.secrets.secretOf('first')))
      expect(new Set(all).size).toBe(1)
      expect(await stores.secrets.secretOf('second')).not.toBe(all[0])
    })
  })

  describe(`${name}: the ledger`, () => {
    const entry = { area: 'results', tenant: 'first', bytes: 100 } as const
    test('bytes are counted over all areas, and a struck object counts no more', async () => {
      await stores.ledger.enter({ ...entry, name: 'a' })
      await stores.ledger.enter({ ...entry, name: 'a', area: 'inputs' })
      await stores.ledger.enter({ ...entry, name: 'b', tenant: 'second' })
      expect(await stores.ledger.bytesOf('first')).toBe(200)
      const entries = await stores.ledger.entriesOf('first')
      expect(entries.toSorted((x, y) => x.area.localeCompare(y.area))).toEqual([
        { ...entry, name: 'a', area: 'inputs' },
        { ...entry, name: 'a' },
      ])
      await stores.ledger.strike('inputs', ['a'])
      expect(await stores.ledger.bytesOf('first')).toBe(100)
      expect(await stores.ledger.bytesOf('nobody')).toBe(0)
    })

    test('many objects at once never exceed the quota', async () => {
      const names = Array.from({ length: 10 }, (_, n) => `r${n}`)
      const entered = await Promise.all(names.map((object) => stores.ledger.enter({ ...entry, name: object }, 350)))
      expect(entered.filter(Boolean)).toHaveLength(3)
      expect(await stores.ledger.bytesOf('first')).toBe(300)
    })

    test('only the named objects of an area stay', async () => {
      for (const object of ['a', 'b']) await stores.ledger.enter({ ...entry, name: object })
      await stores.ledger.enter({ ...entry, name: 'b', area: 'inputs' })
      expect(await stores.ledger.retain('results', new Set(['a', 'c']))).toEqual(new Set(['a']))
      expect(await stores.ledger.bytesOf('first')).toBe(200)
    })
  })
}
