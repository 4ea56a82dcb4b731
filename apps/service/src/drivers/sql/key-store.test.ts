import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../sqlite/database.ts'
import { shareSqlite } from '../sqlite/service-database.ts'
import { createKeyStore } from './key-store.ts'

test('SQLite finds a stored key at once, without a promise: each request asks for its key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-keys-'))
  const database = openDatabase(join(folder, 'test.sqlite'))
  try {
    const keys = createKeyStore(shareSqlite(database), new Map())
    const { key, id } = await keys.create('acme')
    expect(keys.find(key)).toEqual({ id, tenant: 'acme' })
    expect(keys.find('unknown')).toBeUndefined()
  } finally {
    await database.destroy()
    await rm(folder, { recursive: true, force: true })
  }
})
