import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DamagedObjectError, isStoreError } from '../../src/domain/errors.ts'
import { createScratchSpace } from '../../src/drivers/folder/folders.ts'
import { createS3Client, type S3Options } from '../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../src/drivers/s3/object-store.ts'
import { describeObjectStore, type OpenObjectStore } from '../ports/object-store.contract.ts'
import { S3_FAULTS, startS3Proxy } from '../store-faults/s3-proxy.ts'
import { FaultScript } from '../store-faults/script.ts'
import { startSecondS3 } from './second-server.ts'
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

/** @param namesType Whether the server sends the content type that an address asks for. */
function describeDirectReads(options: () => S3Options, namesType: boolean = true): void {
  test('a direct address gives the object and its parts to anybody, with its content type', async () => {
    const opened = await openStore(options())
    const { store } = opened
    await store.put('a.wav', Readable.from([Buffer.from('0123456789')]))
    const url = (await store.direct?.directUrl('a.wav', 'audio/wav')) ?? ''
    const whole = await fetch(url)
    expect([whole.status, namesType ? whole.headers.get('content-type') : 'audio/wav']).toEqual([200, 'audio/wav'])
    expect(await whole.text()).toBe('0123456789')
    const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    await opened.close()
  })
}

/** Faults of a response, and what a caller may see: the stored bytes, or an error of the store. Never other bytes. */
function describeFaults(server: () => S3Server): void {
  test.each(S3_FAULTS)('with the fault "%s", a read gives the stored bytes or an error of the store', async (fault) => {
    const script = new FaultScript()
    const proxy = await startS3Proxy(server().endpoint, script)
    const opened = await openStore({ bucket: server().bucket, endpoint: `http://127.0.0.1:${proxy.port}` })
    const { store } = opened
    const content = 'the words of a recording, '.repeat(50)
    const outcomeOf = async <T>(call: () => Promise<T>): Promise<T | 'store error'> => {
      script.begin({ store: 's3', message: 1, fault })
      try {
        return await call()
      } catch (error) {
        if (isStoreError(error) || error instanceof DamagedObjectError) return 'store error'
        throw error
      } finally {
        script.begin()
        await script.release()
      }
    }
    const put = () => store.put('a', Readable.from([Buffer.from(content)]))
    expect(['store error', content.length]).toContain(await outcomeOf(async () => (await put()).bytes))
    const known = await put()
    // The row of an object says whether the store should have it.
    const early = fault === 'early 404' ? [undefined] : []
    expect(['store error', content, ...early]).toContain(
      await outcomeOf(async () => store.withFile('a', (path) => readFile(path, 'utf8'), known)),
    )
    expect(['store error', [], ['a']]).toContainEqual(await outcomeOf(() => store.deleteAll(['a'])))
    await opened.close()
    await proxy.close()
  })
}

/** Each of these answers has its own remedy. */
function describeAnswers(server: () => S3Server): void {
  test.each([
    ['another region', /elsewhere \(301\): set S3_REGION to eu-north-1/],
    ['InternalError', /has an error of its own: \w+ \(500\)/],
    ['error in 200', /answers 200 with an error in the body/],
    ['SlowDown', /overloaded|has an error of its own: Unknown \(503\)/],
    ['InvalidAccessKeyId', /refuses this process: \w+ \(403\)/],
    ['lost request', /cannot be reached/],
  ])('the answer "%s" has its own sentence, for each call', async (fault, sentence) => {
    const script = new FaultScript()
    const proxy = await startS3Proxy(server().endpoint, script)
    const opened = await openStore({ bucket: server().bucket, endpoint: `http://127.0.0.1:${proxy.port}` })
    const { store } = opened
    await store.put('a', Readable.from([Buffer.from('abc')]))
    const calls = {
      put: () => store.put('b', Readable.from([Buffer.from('abc')])),
      read: () => store.withFile('a', async () => undefined),
      stat: () => store.stat('a'),
      list: async () => store.list()[Symbol.asyncIterator]().next(),
      'delete one': () => store.deleteAll(['a']),
      'delete many': () => store.deleteAll(['a', 'b']),
    }
    for (const [name, call] of Object.entries(calls)) {
      script.begin({ store: 's3', message: 1, fault })
      const message = await call().then(
        () => 'no error',
        (error: Error) => error.message,
      )
      expect([name, message]).toEqual([name, expect.stringMatching(sentence)])
    }
    script.begin()
    await opened.close()
    await proxy.close()
  })

  test('a wrong length or other bytes are damage when the row of the object says so, without metadata too', async () => {
    const script = new FaultScript()
    const proxy = await startS3Proxy(server().endpoint, script)
    const opened = await openStore({ bucket: server().bucket, endpoint: `http://127.0.0.1:${proxy.port}` })
    const { store } = opened
    const known = await store.put('a', Readable.from([Buffer.from('the words of a recording')]))
    for (let read = 0; read < 3; read += 1) {
      script.begin({ store: 's3', message: 1, fault: 'no metadata and half of the body' })
      await expect(store.open('a', undefined, known)).rejects.toThrow(DamagedObjectError)
    }
    script.begin({ store: 's3', message: 1, fault: 'no metadata and half of the body' })
    expect(await store.withFile('a', (path) => readFile(path, 'utf8'), known)).toBe('the words of a recording')
    script.begin()
    await opened.close()
    await proxy.close()
  })
}

/** A real bucket, with its region, endpoint and credentials in the usual variables. */
const real = process.env['TEST_S3_BUCKET']
const SERVERS = [
  { name: 's3rver', start: startS3, namesType: true },
  { name: 'fauxqs', start: startSecondS3, namesType: false },
]

describe.each(real === undefined ? SERVERS : [])('$name', ({ name, start, namesType }) => {
  let server: S3Server
  beforeAll(async () => {
    for (const [variable, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(variable, value)
    // One request for each call, so that every error reaches the service.
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
    server = await start()
  })
  afterAll(() => server.stop())
  describeObjectStore(name, () => openStore(server))
  describeDirectReads(() => server, namesType)
  describeFaults(() => server)
  describeAnswers(() => server)
})

describe.each(real === undefined ? [] : [real])('the bucket %s of TEST_S3_BUCKET', (bucket) => {
  const options = { bucket, endpoint: process.env['S3_ENDPOINT'], region: process.env['S3_REGION'] }
  describeObjectStore(bucket, () => openStore(options))
  describeDirectReads(() => options)
})
