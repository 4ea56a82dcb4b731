import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCommand } from '../../src/cli/command.ts'
import { type Cluster, startCluster } from './cluster.ts'

let cluster: Cluster
let folder: string
let audio: AudioClient
beforeAll(async () => {
  cluster = await startCluster()
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-operators-'))
  const { url } = await cluster.start({ publicUrl: 'http://127.0.0.1:1' })
  const apiKey = /svca_\S+/.exec(await run('keys', 'create', 'third'))?.[0] ?? ''
  audio = new AudioClient({ baseUrl: url, apiKey })
})
afterAll(async () => {
  await audio.close()
  await cluster.stop()
  await rm(folder, { recursive: true })
})

/** Runs a command from a machine that has only the addresses of the cluster. */
async function run(...args: readonly string[]): Promise<string> {
  const { databaseUrl, s3Bucket, s3Endpoint, secretKey } = cluster.shared
  const command = readCommand([...args, '--data-dir', folder], {
    DATABASE_URL: databaseUrl,
    S3_BUCKET: s3Bucket,
    S3_ENDPOINT: s3Endpoint,
    SVC_AUDIO_SECRET_KEY: secretKey,
  })
  if (command.name !== 'run') throw new Error('It is no command')
  return command.run()
}

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav' } as const
const LONG = { timeout: 90_000, interval: 1000 }

test('tenants, tasks and files of a cluster are listed, paused, retried, exported and deleted by commands', async () => {
  const done = await audio.speech.createTask(SPEECH)
  await audio.tasks.wait(done.id)
  const file = await audio.files.create({ file: new File(['RIFF'], 'a.wav') })
  expect(await run('files', 'list', 'third')).toContain(file.id)

  await run('tenants', 'pause', 'third')
  const waiting = await audio.speech.createTask(SPEECH)
  const failing = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: file.id })
  expect(await run('tasks', 'cancel', 'third', waiting.id)).toBe(`Task ${waiting.id} is cancelled.\n`)
  await expect(run('tasks', 'retry', 'third', waiting.id)).rejects.toThrow('No request of task')
  expect(await run('tasks', 'list', 'third', '--status', 'PENDING')).toContain(failing.id)
  expect(await run('tenants', 'list')).toMatch(/^third {2}1 stored keys {2}3 tasks {2}1 open {2}1 files .* paused$/m)
  await run('tenants', 'resume', 'third')
  const failed = async (id: string): Promise<boolean> =>
    (await run('tasks', 'list', 'third', '--status', 'FAILED')).includes(id)
  await expect.poll(() => failed(failing.id), LONG).toBe(true)
  const retried = /as (task_\w+)\.\n$/.exec(await run('tasks', 'retry', 'third', failing.id))?.[1] ?? ''
  await expect.poll(() => failed(retried), LONG).toBe(true)

  const target = join(folder, 'export')
  expect(await run('tenants', 'export', 'third', target)).toContain('1 files, 0 voices, 4 tasks, 2 objects')
  expect(await readdir(join(target, 'objects/uploads'))).toEqual([file.id])
  await expect(run('tenants', 'delete', 'thirds', '--yes')).rejects.toThrow('did you mean third?')
  expect(await run('tenants', 'delete', 'third', '--yes')).toMatch(/^third is deleted: 1 keys, 4 tasks, 1 files, /)
  expect(await run('tenants', 'list')).not.toContain('third')
  expect(await run('orphans', 'list')).toBe('Every object has a row in the database.\n')
  await expect(audio.models.list()).rejects.toMatchObject({ status: 401 })
}, 300_000)
