import { type CallHandler, Controller, type ExecutionContext, Get, Post, UseInterceptors } from '@nestjs/common'
import {
  createTestUpstream,
  happy,
  hold,
  type ScriptedResponse,
  SlowUpload,
  status,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { defer, raceWith, TimeoutError } from 'rxjs'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AudioModule,
  TranscribeUploadInterceptor,
  type TranscribeUploadOptions,
  Transcription,
  Upload,
} from '../src/index.ts'
import { KEY, PLATFORMS, post, startApp, type TestApp } from './support/app.ts'

const MB = 1024 * 1024
const SECRET = `sekret words of the service, ${KEY}`

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

const error = (statusCode: number, errorCode: string) => ({
  statusCode,
  errorCode,
  message: expect.stringMatching(/^[A-Z].+/) as string,
})

const term = (context: ExecutionContext): string => context.getHandler().name

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(
    response: ScriptedResponse = happy,
    options: Partial<TranscribeUploadOptions> = {},
    deadline?: number,
  ): Promise<{ app: TestApp; upstream: TestUpstream; address: string }> {
    @Controller()
    class Routes {
      @Post('transcribe')
      @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0', maxFileSize: 10 * MB, ...options }))
      transcribe(@Transcription() transcription: Transcription, @Upload() upload: Upload): object {
        return { transcription, upload }
      }

      @Get('forgotten')
      forgotten(@Transcription() { text }: Transcription): string {
        return text
      }
    }
    upstream = (await createTestUpstream({ apiKey: KEY, transcript: 'hello' })).on('*', response)
    const audio = AudioModule.forRoot({
      apiKey: KEY,
      baseUrl: upstream.url,
      ...(deadline === undefined ? {} : { timeout: deadline }),
    })
    app = await startApp(platform, { imports: [audio], controllers: [Routes] })
    return { app, upstream, address: `${app.url}/transcribe` }
  }

  test('fields of the call are constant, or depend on the form and the context', async () => {
    const { address, upstream: service } = await start(happy, {
      diarize: true,
      keyterms: ['fixed'],
      body: (context, { fields }) => ({
        model: 'svc-transcribe-diarize-pro',
        keyterms: [...(fields['term'] ?? []), term(context)],
      }),
    })
    const data = new FormData()
    data.append('term', 'Ölkanne')
    data.append('file', new Blob([Uint8Array.from(wavFile(100))]), 'a.wav')
    expect((await post(address, data)).status).toBe(201)
    expect(service.requests[0]?.form?.fields).toEqual({
      model: ['svc-transcribe-diarize-pro'],
      diarize: ['true'],
      keyterms: ['Ölkanne', 'transcribe'],
      response_format: ['json'],
    })
  })

  describe('a refused upload', () => {
    test.each([
      ['too large by its length', 413, 'file_too_large', () => uploadForm(wavFile(12 * MB))],
      ['too large on its way', 413, 'file_too_large', () => uploadForm(wavFile(10 * MB))],
      ['no file', 400, 'missing_file', () => new FormData()],
      ['an empty file', 400, 'empty_file', () => uploadForm(Buffer.alloc(0))],
      ['another field', 400, 'unexpected_file', () => uploadForm(wavFile(10), { field: 'photo' })],
      ['other content', 415, 'unsupported_content', () => uploadForm(Buffer.from('%PDF-1.7'))],
      ['plain text', 415, 'not_multipart', () => 'text'],
    ])('%s is %i %s', async (_what, refusal, code, body) => {
      const { address, app: running } = await start()
      expect(await post(address, body())).toMatchObject({ status: refusal, body: error(refusal, code) })
      expect(running.log).toEqual([])
      // The app answers the next request.
      expect((await post(address, uploadForm(wavFile(100)))).status).toBe(201)
    })

    test('of exactly the limit is accepted', async () => {
      const { address } = await start(happy, { maxFileSize: 50_044 })
      expect((await post(address, uploadForm(wavFile(50_000)))).status).toBe(201)
      expect((await post(address, uploadForm(wavFile(50_001)))).status).toBe(413)
    })

    test.each([
      [413, 'file_too_large', 'by its size', { maxFileSize: 300_000 }, false],
      [400, 'too_many_files', 'by a second file', {}, true],
    ])('%i %s in mid-upload, %s, never looks complete to the service', async (refusal, code, _how, options, second) => {
      const { address, upstream: service } = await start(happy, options)
      const upload = new SlowUpload(address)
      await upload.send(wavFile(200_000))
      const request = await service.waitForRequest()
      await request.received(100_000)
      await upload.send(Buffer.alloc(99_000))
      if (second) upload.finish({ secondFile: true })
      else await upload.send(Buffer.alloc(2000))
      expect(await request.closed()).toBe('closedByClient')
      expect(request.complete).toBe(false)
      expect(await upload.answer()).toMatchObject({ status: refusal, body: error(refusal, code) })
      upload.leave()
    })
  })

  describe('a service that fails', () => {
    test.each([
      [401, 502, 'audio_service_unavailable'],
      [403, 502, 'audio_service_unavailable'],
      [404, 502, 'audio_service_unavailable'],
      [500, 502, 'audio_service_unavailable'],
      [503, 502, 'audio_service_unavailable'],
      [504, 504, 'audio_service_timeout'],
      [400, 400, 'content_refused'],
      [413, 413, 'content_too_large'],
      [415, 415, 'undecodable_audio'],
      [429, 429, 'rate_limited'],
    ])('its %i becomes %i %s, and neither its words nor the key get out', async (theirs, ours, code) => {
      const headers = { 'retry-after': '7', 'x-request-id': SECRET }
      const { address, app: running } = await start(
        status(theirs, { headers, error: { code: SECRET, message: SECRET } }),
      )
      const response = await post(address, uploadForm(wavFile(1000)))
      expect(response.status).toBe(ours)
      expect(response.body).toEqual(error(ours, code))
      expect(response.headers.get('retry-after')).toBe('7')
      expect(JSON.stringify([response.body, ...response.headers])).not.toContain('sekret')
      // Failures of status 500 and above are logged with the service's message and without the key.
      expect(running.log).toHaveLength(ours >= 500 ? 1 : 0)
      expect(running.log.join()).not.toContain(KEY)
    })

    test('a connection that breaks during the upload is 502', async () => {
      const { address, upstream: service, app: running } = await start()
      const upload = new SlowUpload(address)
      await upload.send(wavFile(200_000))
      const request = await service.waitForRequest()
      await request.received(100_000)
      request.cut()
      expect(await upload.answer()).toMatchObject({ status: 502, body: error(502, 'audio_service_unavailable') })
      expect(running.log.join()).toContain('ConnectionError')
      upload.leave()
    })
  })

  describe('a disconnect', () => {
    test('during the upload aborts the call to the service and logs nothing', async () => {
      const { address, app: running, upstream: service } = await start()
      const upload = new SlowUpload(address)
      await upload.send(wavFile(200_000))
      const request = await service.waitForRequest()
      await request.received(100_000)
      upload.leave()
      expect(await request.closed()).toBe('closedByClient')
      expect(request.complete).toBe(false)
      expect((await post(address, uploadForm(wavFile(100)))).status).toBe(201)
      expect(running.log).toEqual([])
    })

    test('while the service works aborts the call too', async () => {
      const { address, app: running, upstream: service } = await start()
      service.next('*', hold())
      const leaving = new AbortController()
      const left = fetch(address, { method: 'POST', body: uploadForm(wavFile(1000)), signal: leaving.signal }).catch(
        () => 'left',
      )
      const request = await service.waitForRequest()
      await request.received()
      leaving.abort()
      expect(await request.closed()).toBe('closedByClient')
      expect(await left).toBe('left')
      expect((await post(address, uploadForm(wavFile(100)))).status).toBe(201)
      expect(running.log).toEqual([])
    })
  })

  test('an outer interceptor that times out aborts the call to the service', async () => {
    const server = (await createTestUpstream({ apiKey: KEY })).on('*', hold())
    upstream = server
    // The time is over when the service has the call, however busy the machine is.
    const timeIsOver = defer(async () => {
      await server.waitForRequest()
      throw new TimeoutError()
    })
    @Controller()
    class Impatient {
      @Post('impatient')
      @UseInterceptors(
        { intercept: (_context: ExecutionContext, next: CallHandler) => next.handle().pipe(raceWith(timeIsOver)) },
        TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }),
      )
      transcribe(@Transcription() { text }: Transcription): string {
        return text
      }
    }
    const audio = AudioModule.forRoot({ apiKey: KEY, baseUrl: server.url })
    app = await startApp(platform, { imports: [audio], controllers: [Impatient] })
    expect((await post(`${app.url}/impatient`, uploadForm(wavFile(1000)))).status).toBe(500)
    expect(await server.requests[0]?.closed()).toBe('closedByClient')
  })

  test('a route without the interceptor answers 500, and the log names the interceptor', async () => {
    const { app: running } = await start()
    const response = await fetch(`${running.url}/forgotten`)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual(error(500, 'internal_error'))
    expect(running.log.join()).toContain('bind TranscribeUploadInterceptor({ ... }) to the route')
  })
})

test('a wrong option throws when the route is declared', () => {
  expect(() => TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0', maxFileSize: 0 })).toThrow('maxFileSize')
})
