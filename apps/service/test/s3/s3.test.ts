import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createScratchSpace } from '../../src/drivers/folder/scratch-space.ts'
import { createS3Client, type S3Options } from '../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../src/drivers/s3/object-store.ts'
import { describeObjectStore, type OpenObjectStore } from '../ports/object-store.contract.ts'
import { S3_CREDENTIALS, type S3Server, startS3 } from './server.ts'

async function openStore(options: S3Options): Promise<OpenObjectStore> {
  const client = await createS3Client(options)
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const prefix = `test-${randomUUID()}/`
  const store = await createS3ObjectStore({
    client,
    bucket: options.bucket,
    prefix,
    scratch: createScratchSpace(folder),
  })
  return {
    store,
    async close() {
      for await (const { name } of store.list()) await store.delete(name)
      client.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function describeDirectReads(options: () => S3Options): void {
  test('a direct address gives the object and its parts to anybody, with its content type', async () => {
    const opened = await openStore(options())
    const { store } = opened
    await store.put('a.wav', Readable.from([Buffer.from('0123456789')]))
    const url = (await store.direct?.directUrl('a.wav', 'audio/wav')) ?? ''
    const whole = await fetch(url)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(await whole.text()).toBe('0123456789')
    const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    await opened.close()
  })
}

/** A real bucket, with its region, endpoint and credentials in the usual variables. */
const real = process.env['TEST_S3_BUCKET']
if (real === undefined) {
  let server: S3Server
  beforeAll(async () => {
    for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
    server = await startS3()
  })
  afterAll(() => server.stop())
  describeObjectStore('S3', () => openStore(server))
  describeDirectReads(() => server)
} else {
  const options = { bucket: real, endpoint: process.env['S3_ENDPOINT'], region: process.env['S3_REGION'] }
  describeObjectStore('the bucket of TEST_S3_BUCKET', () => openStore(options))
  describeDirectReads(() => options)
}
