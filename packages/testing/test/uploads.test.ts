import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { early, longUpload, SlowUpload, status, uploadForm, wavFile } from '../src/index.ts'
import { start } from './support/start.ts'

// Endpoints of the interface need a key. Any other path is recorded without one.
const PATH = '/app/upload'

test('a form has one file with the given name', async () => {
  const upstream = await start()
  const content = wavFile(10)
  for (const options of [{}, { field: 'memo', name: 'größe.ogg', type: 'audio/ogg' }]) {
    await fetch(upstream.url + PATH, { method: 'POST', body: uploadForm(content, options) })
  }
  expect(upstream.requests.map(({ form }) => form)).toEqual([
    {
      fields: {},
      files: [expect.objectContaining({ field: 'file', filename: 'speech.wav', contentType: 'audio/wav' })],
    },
    {
      fields: {},
      files: [expect.objectContaining({ field: 'memo', filename: 'größe.ogg', contentType: 'audio/ogg', content })],
    },
  ])
})

test('a slow upload arrives in pieces and ends complete', async () => {
  const upstream = await start()
  const upload = new SlowUpload(upstream.url + PATH)
  const content = wavFile(5000)
  await upload.send(content.subarray(0, 3000))
  const request = await upstream.waitForRequest()
  await request.received(3000)
  expect(request.complete).toBe(false)
  await upload.send(content.subarray(3000))
  upload.finish()
  expect(await upload.answer()).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  expect(request.form).toMatchObject({ fields: {}, files: [{ field: 'file', filename: 'speech.wav', content }] })
})

test('a slow upload can end with a second file', async () => {
  const upstream = await start()
  const upload = new SlowUpload(upstream.url + PATH)
  await upload.send(wavFile(0))
  upload.finish({ secondFile: true })
  await upload.answer()
  expect(upstream.requests[0]?.form?.files).toMatchObject([{ filename: 'speech.wav' }, { filename: 'second.wav' }])
})

test('a disconnected slow upload has no response', async () => {
  const upstream = await start()
  const upload = new SlowUpload(upstream.url + PATH)
  await upload.send(wavFile(1000))
  const request = await upstream.waitForRequest()
  await request.received(1000)
  upload.leave()
  expect(await request.closed()).toBe('closedByClient')
  await expect(upload.answer()).rejects.toThrow('socket hang up')
})

test('a slow upload receives a response that comes before its end', async () => {
  const upstream = await start()
  upstream.on('*', early(status(413, { body: { too: 'much' } })))
  const upload = new SlowUpload(upstream.url + PATH)
  await upload.send(wavFile(1000))
  expect(await upload.answer()).toEqual({ status: 413, body: { too: 'much' } })
  upload.leave()
})

test('a long upload is a WAV file of the exact size', async () => {
  const upstream = await start()
  upstream.on('*', status(201, { body: { done: true } }))
  const bytes = 3_000_001
  expect(await longUpload(upstream.url + PATH, bytes)).toEqual({ status: 201, body: { done: true } })
  const sha256 = createHash('sha256')
    .update(wavFile(bytes - 44))
    .digest('hex')
  expect(upstream.requests[0]?.form?.files).toMatchObject([{ filename: 'long.wav', bytes, sha256 }])
})

test('a long upload on a broken connection fails', async () => {
  const upstream = await start()
  const sending = longUpload(upstream.url + PATH, 50_000_000).catch((error: unknown) => error)
  const request = await upstream.waitForRequest()
  await request.received(100_000)
  request.cut()
  expect(await sending).toMatchObject({ code: expect.stringMatching(/^E/) as string })
})
