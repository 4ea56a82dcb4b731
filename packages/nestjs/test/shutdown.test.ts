import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type BeforeApplicationShutdown, Controller, Injectable, Post, UseInterceptors } from '@nestjs/common'
import {
  createTestUpstream,
  events,
  hold,
  type RunningScript,
  silence,
  SlowUpload,
  stall,
  startScript,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { AudioModule, TranscribeUploadInterceptor, Transcription } from '../src/index.ts'
import { PLATFORMS, post, startApp } from './support/app.ts'

const APP = fileURLToPath(new URL('support/shutdown-app.js', import.meta.url))
const CREATED = { type: 'task.created', task_id: 't1', object: 'audio.transcription', status: 'PROCESSING', model: 'm' }
const SHUTTING_DOWN = { statusCode: 503, errorCode: 'shutting_down' }

let upstream: TestUpstream | undefined
let running: RunningScript | undefined
afterEach(async () => {
  await running?.close()
  await upstream?.close()
  running = undefined
})

describe.each(PLATFORMS)('an app on %s that gets SIGTERM', (platform) => {
  test('ends live streams with an event, and uploads with 503, when shutdownTimeout is over', async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    upstream.next('POST /v1/audio/transcriptions', stall({ afterBytes: 10_000 }, events([CREATED])), silence)
    running = await startScript(APP, { args: [platform, upstream.url, '300'] })
    const url = running.printed
    const live = await fetch(`${url}/live`, { method: 'POST', body: uploadForm(wavFile(1000)) })
    const text = live.text()
    await upstream.waitForRequest()
    const upload = new SlowUpload(`${url}/transcribe`)
    await upload.send(wavFile(100_000))
    await upstream.waitForRequest()
    const ended = running.close()
    expect(await text).toMatch(/event: error\n.*data: The server is shutting down/s)
    expect(await upload.answer()).toMatchObject({
      status: 503,

      body: SHUTTING_DOWN,
    })
    upload.leave()
    await ended
  })

  test('ends a client that does not read its last response', async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    upstream.next('POST /v1/audio/transcriptions', silence)
    running = await startScript(APP, { args: [platform, upstream.url, '100'] })
    const silent = request(`${running.printed}/transcribe`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1e6 },
    })
    silent.on('error', () => {})
    silent.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\0\0\0\0WAVE')
    silent.write(Buffer.alloc(50_000))
    await upstream.waitForRequest()
    await expect(running.close()).resolves.toBeUndefined()
    silent.destroy()
  })

  test('answers requests in flight that end in time', async () => {
    const held = hold()
    upstream = (await createTestUpstream({ apiKey: 'key', transcript: 'hello' })).on('*', held)
    running = await startScript(APP, { args: [platform, upstream.url, '60000'] })
    const response = post(`${running.printed}/transcribe`, uploadForm(wavFile(1000)))
    await upstream.waitForRequest()
    const ended = running.close()
    held.release()
    expect(await response).toMatchObject({ status: 201, body: { text: 'hello' } })
    await ended
  })
})

test.each(PLATFORMS)('a new upload to an app on %s that shuts down gets 503 and Retry-After', async (platform) => {
  const release = Promise.withResolvers<void>()
  const stopping = Promise.withResolvers<void>()
  @Injectable()
  class Slow implements BeforeApplicationShutdown {
    async beforeApplicationShutdown(): Promise<void> {
      stopping.resolve()
      await release.promise
    }
  }
  @Controller()
  class Routes {
    @Post()
    @UseInterceptors(TranscribeUploadInterceptor())
    transcribe(@Transcription() transcription: Transcription): Transcription {
      return transcription
    }
  }
  upstream = await createTestUpstream({ apiKey: 'key' })
  const imports = [AudioModule.forRoot({ apiKey: 'key', baseUrl: upstream.url })]
  const app = await startApp(platform, { imports, controllers: [Routes], providers: [Slow] }, () => {})
  const closing = app.close()
  await stopping.promise
  const { status, headers, body } = await post(app.url, uploadForm(wavFile(1000)))
  expect({ status, body }).toMatchObject({ status: 503, body: SHUTTING_DOWN })
  expect(headers.get('retry-after')).toBe('1')
  expect(upstream.requests).toEqual([])
  release.resolve()
  await closing
})

test('a wrong shutdownTimeout stops the start of the app', async () => {
  const imports = [AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test', shutdownTimeout: -1 })]
  await expect(startApp('Express', { imports })).rejects.toThrow('`shutdownTimeout` must be a number of milliseconds')
})
