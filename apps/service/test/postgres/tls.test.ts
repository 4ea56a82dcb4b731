import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/database.ts'
import { HOOK_CERTIFICATE, OTHER_CERTIFICATE } from '../support/receiver.ts'
import { postgresOwner, type PostgresServer, startPostgres } from './server.ts'

let folder: string
let server: PostgresServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-tls-'))
  const owner = await postgresOwner()
  const files = { key: HOOK_CERTIFICATE.key, cert: HOOK_CERTIFICATE.cert, other: OTHER_CERTIFICATE.cert }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 })
  if (owner !== undefined) {
    for (const path of [folder, join(folder, 'key'), join(folder, 'cert')]) await chown(path, owner.uid, owner.gid)
  }
  server = await startPostgres(['ssl=on', `ssl_cert_file=${folder}/cert`, `ssl_key_file=${folder}/key`])
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

/** Connects with parameters of the address. @returns Whether the connection is encrypted */
async function isEncrypted(parameters: string): Promise<boolean | undefined> {
  const database = await openPostgres({ url: `${server.url}?${parameters}`, onError: () => undefined })
  try {
    const query = sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    return (await query.execute(database)).rows[0]?.ssl
  } finally {
    await database.destroy()
  }
}

test('sslmode says whether the connection is encrypted', async () => {
  expect(await isEncrypted('')).toBe(false)
  expect(await isEncrypted('sslmode=disable')).toBe(false)
  expect(await isEncrypted('sslmode=require')).toBe(true)
})

test('verify-ca accepts the certificate of the authority in sslrootcert, and no other', async () => {
  expect(await isEncrypted(`sslmode=verify-ca&sslrootcert=${folder}/cert`)).toBe(true)
  await expect(isEncrypted(`sslmode=verify-ca&sslrootcert=${folder}/other`)).rejects.toMatchObject({
    name: 'DatabaseUnavailableError',
  })
})

test('verify-full refuses a certificate of another host', async () => {
  await expect(isEncrypted(`sslmode=verify-full&sslrootcert=${folder}/cert`)).rejects.toMatchObject({
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  })
})
