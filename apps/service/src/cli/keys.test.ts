import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKey, deleteKey } from './keys.ts'
import { UsageError } from './errors.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

// rules: limits.keys
test('keys create refuses the 101st key of a tenant and makes it after a deletion', async () => {
  const first = await createKey({ dataDir }, 'acme')
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'))
  const insert = database.prepare('INSERT INTO api_keys (hash, tenant, created_at) VALUES (?, ?, 1)')
  for (let count = 1; count < 100; count += 1) insert.run(`hash-${count}`, 'acme')
  database.close()
  const refused = createKey({ dataDir }, 'acme')
  await expect(refused).rejects.toThrow(UsageError)
  await expect(refused).rejects.toThrow('acme has 100 keys, the maximum of a tenant: delete one first (see keys list)')
  await expect(createKey({ dataDir }, 'other')).resolves.toContain('API key')
  await deleteKey({ dataDir }, /^id +(\S+)/.exec(first)?.[1] ?? '')
  await expect(createKey({ dataDir }, 'acme')).resolves.toContain('API key')
})
