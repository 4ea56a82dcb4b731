import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchSpace } from '../../src/drivers/folder/folders.ts'
import { createS3Client } from '../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../src/drivers/s3/object-store.ts'
import type { ObjectStore } from '../../src/ports/object-store.ts'
import { STORAGE_AREAS } from '../../src/ports/storage-ledger.ts'
import type { RunningService } from '../../src/service.ts'
import { type S3Server, startS3 } from '../s3/server.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

let cluster: Cluster
let other: S3Server
let folder: string
const closing: (() => void)[] = []
beforeAll(async () => {
  cluster = await startCluster()
  other = await startS3()
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-restore-'))
})
afterAll(async () => {
  for (const close of closing) close()
  await cluster.stop()
  await other.stop()
  await rm(folder, { recursive: true })
})

async function storeOf({ bucket, endpoint }: S3Server, prefix: string): Promise<ObjectStore> {
  const client = await createS3Client({ bucket, endpoint })
  closing.push(() => client.destroy())
  return createS3ObjectStore({ client, bucket, prefix, scratch: createScratchSpace(folder) })
}

async function bytesOf(store: ObjectStore, name: string): Promise<Buffer> {
  const found = await store.open(name)
  return Buffer.concat(await (found?.stream.toArray() ?? []))
}

/** Copies the objects of an area. @returns Their number */
async function copyArea(area: string): Promise<number> {
  const [from, to] = [await storeOf(cluster.s3, `${area}/`), await storeOf(other, `${area}/`)]
  let count = 0
  for await (const { name } of from.list()) {
    const found = await from.open(name)
    if (found !== undefined) await to.put(name, found.stream)
    count += 1
  }
  return count
}

const publicUrl = 'http://127.0.0.1:1'
const speech = (input: string) =>
  ({ model: 'svc-tts-1.0-pro', input, voice_id: 'rms', response_format: 'wav' }) as const

/** Reads the result of a task as its client does. */
async function resultOf({ url }: RunningService, client: AudioClient, id: string): Promise<Buffer> {
  const task = await client.tasks.retrieve(id)
  const { pathname, search } = new URL('url' in task ? task.url : 'missing:')
  return Buffer.from(await (await fetch(`${url}${pathname}${search}`)).arrayBuffer())
}

test('a dump of the database beside a copy of the bucket has every task and file, with the same bytes', async () => {
  const first = await cluster.start({ publicUrl })
  const client = new AudioClient({ baseUrl: first.url, apiKey: KEYS.first })
  const ids = []
  for (const text of ['One.', 'Two.', 'Three.']) ids.push((await client.speech.createTask(speech(text))).id)
  for (const id of ids) expect((await client.tasks.wait(id)).status).toBe('SUCCESS')
  const results = await Promise.all(ids.map((id) => resultOf(first, client, id)))
  const [recording = Buffer.alloc(0)] = results
  expect(recording.subarray(0, 4).toString()).toBe('RIFF')
  const file = await client.files.create({ file: new File([new Uint8Array(recording)], 'one.wav') })
  await client.close()
  await first.close()
  // The bucket is copied after the dump: it may have more than the rows name, never less.
  const databaseUrl = await cluster.postgres.restoreAs('copied')
  const copied = []
  for (const area of STORAGE_AREAS) copied.push(await copyArea(area))
  expect(copied).toEqual([1, 0, 3])
  const second = await cluster.start({ publicUrl, databaseUrl, s3Endpoint: other.endpoint })
  const restored = new AudioClient({ baseUrl: second.url, apiKey: KEYS.first })
  expect(await Promise.all(ids.map((id) => resultOf(second, restored, id)))).toEqual(results)
  expect((await restored.files.list()).data.map(({ id }) => id)).toEqual([file.id])
  expect(await bytesOf(await storeOf(other, 'uploads/'), file.id)).toEqual(recording)
  const { id } = await restored.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: file.id })
  expect((await restored.tasks.wait(id)).status).toBe('SUCCESS')
  await restored.close()
}, 300_000)
