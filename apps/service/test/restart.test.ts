import { writeFile } from 'node:fs/promises'
import { buzz, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { expect, onTestFinished, test } from 'vitest'
import { startTestService, type TestService } from './support/test-service.ts'

const body = { model: 'svc-tts-1.0-pro', input: 'Good morning.', voice_id: 'rms', response_format: 'wav', async: true }

/** Stops a service and starts one on its folder. */
async function restarted(service: TestService): Promise<TestService> {
  await service.stop()
  const next = await startTestService({ dataDir: service.dataDir })
  onTestFinished(() => next.close())
  return next
}

test('files, voices and their idempotency keys are the same after a restart', async () => {
  const create = async (own: TestService): Promise<string> => {
    const form = new FormData()
    form.append('audio_sample', wavOf(buzz(140, 2, 4)))
    const response = await own.request('POST', '/v1/audio/voices', form, { 'idempotency-key': 'restart' })
    return ((await response.json()) as { id: string }).id
  }
  const first = await startTestService()
  const file = await first.audio.files.create({ file: { data: Buffer.from('kept'), name: 'a' } })
  const voice_id = await create(first)
  const say = { ...body, async: false, voice_id, response_format: 'pcm' }
  const spoken = await (await first.request('POST', '/v1/audio/speech', say)).bytes()
  // A file that the service has not stored is not listed, and stays for the operator.
  await writeFile(`${first.dataDir}/files/file_orphan`, 'x')
  const next = await restarted(first)
  expect((await next.audio.files.list()).data).toEqual([file])
  expect(await next.list('files')).toEqual(['file_orphan', file.id].toSorted())
  expect(await create(next)).toBe(voice_id)
  expect((await next.audio.voices.list()).data).toHaveLength(6)
  const again = await (await next.request('POST', '/v1/audio/speech', say)).bytes()
  expect(Buffer.compare(again, spoken)).toBe(0)
})

test('work cut off by a stop is done by the next service', async () => {
  const own = await startTestService({ stopTimeout: 0, tasksAtOnce: 1 })
  const long = Array.from({ length: 60 }, (_, n) => `This is sentence number ${n}.`).join(' ')
  const ids: string[] = []
  for (const input of [long, 'Short.']) {
    const created = await own.request('POST', '/v1/audio/speech', { ...body, input })
    ids.push(((await created.json()) as { id: string }).id)
  }
  const next = await restarted(own)
  for (const id of ids)
    expect(await next.audio.tasks.wait(id, { pollInterval: 20 })).toMatchObject({ status: 'SUCCESS' })
  expect((await next.list('results')).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a second service on a folder is refused, and the first continues', async () => {
  const service = await startTestService()
  onTestFinished(() => service.close())
  await expect(startTestService({ dataDir: service.dataDir })).rejects.toThrow('is in use by another running service')
  expect((await service.request('GET', '/v1/models')).status).toBe(200)
})

test('the file of a failed task is deleted at once where requests of failed tasks are not stored', async () => {
  const own = await startTestService({ failedRequestHours: 0 })
  onTestFinished(() => own.close())
  const form = new FormData()
  form.append('model', 'svc-transcribe-1.0')
  form.append('async', 'true')
  form.append('file', new Blob(['Once upon '.repeat(99)]), 'a.wav')
  const created = await own.request('POST', '/v1/audio/transcriptions', form)
  const { id } = (await created.json()) as { id: string }
  const failed = own.audio.tasks.wait(id, { pollInterval: 20 })
  await expect(failed).rejects.toMatchObject({ task: { status: 'FAILED', error: { code: 'undecodable_audio' } } })
  await expect.poll(() => own.list('inputs')).toEqual([])
})
