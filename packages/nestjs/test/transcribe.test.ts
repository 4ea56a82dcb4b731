import { type CallHandler, Controller, type ExecutionContext, Get, Post, UseInterceptors } from '@nestjs/common'
import { timeout } from 'rxjs'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AudioModule,
  type ReceivedUpload,
  TranscribeInterceptor,
  type TranscribeInterceptorOptions,
  Transcription,
  Upload,
} from '../src/index.ts'
import { KEY, PLATFORMS, startApp, type TestApp } from './support/app.ts'
import { form, post, SlowUpload, wav } from './support/browser.ts'
import { fails, startUpstream, transcribes, type Upstream, type UpstreamCall } from './support/upstream.ts'

const MB = 1024 * 1024
const SECRET = `sekret words of the service, ${KEY}`

let upstream: Upstream | undefined
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
    answer: (call: UpstreamCall) => void | Promise<void> = transcribes,
    options: Partial<TranscribeInterceptorOptions> = {},
    deadline?: number,
  ): Promise<{ app: TestApp; upstream: Upstream; address: string }> {
    @Controller()
    class Routes {
      @Post('transcribe')
      @UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0', maxFileSize: 10 * MB, ...options }))
      transcribe(@Transcription() transcription: Transcription, @Upload() upload: ReceivedUpload): object {
        return { transcription, upload }
      }

      @Get('forgotten')
      forgotten(@Transcription() { text }: Transcription): string {
        return text
      }
    }
    upstream = await startUpstream(answer)
    const audio = AudioModule.forRoot({
      apiKey: KEY,
      baseUrl: upstream.url,
      ...(deadline === undefined ? {} : { timeout: deadline }),
    })
    app = await startApp(platform, { imports: [audio], controllers: [Routes] })
    return { app, upstream, address: `${app.url}/transcribe` }
  }

  test('the file reaches the service as it is, and what was heard the route', async () => {
    let sent: Buffer = Buffer.alloc(0)
    const { address, upstream: service } = await start(async (call) => {
      sent = await call.body()
      call.response.end('{"text":"hello","language":"en"}')
    })
    const content = wav(300_000)
    const data = form(content, { name: 'größe.wav', type: 'application/x-other' })
    data.append('title', 'one')
    data.append('title', 'two')
    const { status, body } = await post(address, data)
    expect(status).toBe(201)
    expect(body).toEqual({
      transcription: { text: 'hello', language: 'en' },
      upload: {
        filename: 'größe.wav',
        declaredType: 'application/x-other',
        sniffedType: 'audio/wav',
        bytes: content.byteLength,
        fields: { title: ['one', 'two'] },
      } satisfies ReceivedUpload,
    })
    expect((await service.next()).request.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(sent.includes(content)).toBe(true)
    expect(sent.toString()).toContain('filename="größe.wav"\r\nContent-Type: audio/wav\r\n')
  })

  test('the call to the service begins, and bytes reach it, before the upload ends', async () => {
    const { address, upstream: service } = await start()
    const upload = new SlowUpload(address)
    await upload.send(wav(100_000))
    const call = await service.next()
    await call.received(50_000)
    await upload.send(Buffer.alloc(200_000))
    await call.received(250_000)
    expect(call.request.complete).toBe(false)
    upload.finish()
    expect(await upload.answer()).toMatchObject({ status: 201, body: { transcription: { text: 'hello' } } })
  })

  test('fields of the call can be fixed, or follow from the form and the context', async () => {
    let sent = ''
    const { address } = await start(
      async (call) => {
        sent = (await call.body()).toString()
        call.response.end('{"text":"hello"}')
      },
      {
        diarize: true,
        keyterms: ['fixed'],
        body: (context, { fields }) => ({
          model: 'svc-transcribe-diarize-pro',
          keyterms: [...(fields['term'] ?? []), term(context)],
        }),
      },
    )
    const data = new FormData()
    data.append('term', 'Ölkanne')
    data.append('file', new Blob([Uint8Array.from(wav(100))]), 'a.wav')
    expect((await post(address, data)).status).toBe(201)
    expect([...sent.matchAll(/name="(\w+)"\r\n\r\n([^\r]*)/g)].map((match) => match.slice(1))).toEqual([
      ['model', 'svc-transcribe-diarize-pro'],
      ['diarize', 'true'],
      ['keyterms', 'Ölkanne'],
      ['keyterms', 'transcribe'],
      ['response_format', 'json'],
    ])
  })

  describe('a refused upload', () => {
    test.each([
      ['too large by its length', 413, 'file_too_large', () => form(wav(12 * MB))],
      ['too large on its way', 413, 'file_too_large', () => form(wav(10 * MB))],
      ['no file', 400, 'missing_file', () => new FormData()],
      ['an empty file', 400, 'empty_file', () => form(Buffer.alloc(0))],
      ['another field', 400, 'unexpected_file', () => form(wav(10), { field: 'photo' })],
      ['other content', 415, 'unsupported_content', () => form(Buffer.from('%PDF-1.7'))],
      ['plain text', 415, 'not_multipart', () => 'text'],
    ])('%s is %i %s', async (_what, status, code, body) => {
      const { address, app: running, upstream: service } = await start()
      expect(await post(address, body())).toMatchObject({ status, body: error(status, code) })
      expect(running.log).toEqual([])
      // The app goes on.
      expect((await post(address, form(wav(100)))).status).toBe(201)
      await service.next()
    })

    test('exactly at the limit is no refusal', async () => {
      const { address } = await start(transcribes, { maxFileSize: 50_044 })
      expect((await post(address, form(wav(50_000)))).status).toBe(201)
      expect((await post(address, form(wav(50_001)))).status).toBe(413)
    })

    test.each([
      [413, 'file_too_large', 'by its size', { maxFileSize: 300_000 }, false],
      [400, 'too_many_files', 'by a second file', {}, true],
    ])('%i %s in mid-upload, %s, never looks complete to the service', async (status, code, _how, options, second) => {
      const { address, upstream: service } = await start(transcribes, options)
      const upload = new SlowUpload(address)
      await upload.send(wav(200_000))
      const call = await service.next()
      await call.received(100_000)
      await upload.send(Buffer.alloc(99_000))
      if (second) upload.finish({ secondFile: true })
      else await upload.send(Buffer.alloc(2000))
      await call.left
      expect(call.request.complete).toBe(false)
      expect(await upload.answer()).toMatchObject({ status, body: error(status, code) })
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
      const { address, app: running } = await start(fails(theirs, SECRET))
      const { status, headers, body } = await post(address, form(wav(1000)))
      expect({ status, body }).toEqual({ status: ours, body: error(ours, code) })
      expect(headers.get('retry-after')).toBe('7')
      expect(JSON.stringify([body, ...headers])).not.toContain('sekret')
      // Faults of this side are logged, with the service's words, never with the key.
      expect(running.log).toHaveLength(ours >= 500 ? 1 : 0)
      expect(running.log.join()).not.toContain(KEY)
    })

    test('in mid-upload, the client gets its answer all the same', async () => {
      const { address } = await start(({ response }) => {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
      })
      const upload = new SlowUpload(address)
      await upload.send(wav(200_000))
      expect(await upload.answer()).toMatchObject({ status: 502, body: error(502, 'audio_service_unavailable') })
      upload.leave()
    })

    test('a connection that breaks in mid-upload is a 502', async () => {
      const { address, upstream: service, app: running } = await start()
      const upload = new SlowUpload(address)
      await upload.send(wav(200_000))
      const call = await service.next()
      await call.received(100_000)
      call.request.socket.destroy()
      expect(await upload.answer()).toMatchObject({ status: 502, body: error(502, 'audio_service_unavailable') })
      expect(running.log.join()).toContain('ConnectionError')
      upload.leave()
    })

    test('no answer in time is a 504', async () => {
      const { address, upstream: service } = await start(() => {}, {}, 50)
      expect(await post(address, form(wav(1000)))).toMatchObject({
        status: 504,
        body: error(504, 'audio_service_timeout'),
      })
      await (
        await service.next()
      ).left
    })
  })

  describe('a client that leaves', () => {
    test('in mid-upload aborts the call to the service; nothing is logged', async () => {
      const { address, app: running, upstream: service } = await start()
      const upload = new SlowUpload(address)
      await upload.send(wav(200_000))
      const call = await service.next()
      await call.received(100_000)
      upload.leave()
      await call.left
      expect(call.request.complete).toBe(false)
      expect((await post(address, form(wav(100)))).status).toBe(201)
      expect(running.log).toEqual([])
    })

    test('while the service works aborts the call too', async () => {
      let busy = true
      const { address, app: running, upstream: service } = await start((call) => (busy ? undefined : transcribes(call)))
      const leaving = new AbortController()
      const left = fetch(address, { method: 'POST', body: form(wav(1000)), signal: leaving.signal }).catch(() => 'left')
      const call = await service.next()
      await call.body()
      leaving.abort()
      await call.left
      expect(await left).toBe('left')
      busy = false
      expect((await post(address, form(wav(100)))).status).toBe(201)
      expect(running.log).toEqual([])
    })
  })

  test('an interceptor bound before that gives up aborts the call to the service', async () => {
    @Controller()
    class Impatient {
      @Post('impatient')
      @UseInterceptors(
        { intercept: (_context: ExecutionContext, next: CallHandler) => next.handle().pipe(timeout(300)) },
        TranscribeInterceptor({ model: 'svc-transcribe-1.0' }),
      )
      transcribe(@Transcription() { text }: Transcription): string {
        return text
      }
    }
    upstream = await startUpstream(() => {})
    const audio = AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })
    app = await startApp(platform, { imports: [audio], controllers: [Impatient] })
    expect((await post(`${app.url}/impatient`, form(wav(1000)))).status).toBe(500)
    await (
      await upstream.next()
    ).left
  })

  test('an answer that comes before the upload has ended is taken, and the rest thrown away', async () => {
    const { address } = await start(({ response }) => {
      response.end('{"text":"early"}')
    })
    const upload = new SlowUpload(address)
    await upload.send(wav(200_000))
    expect(await upload.answer()).toMatchObject({
      status: 201,
      body: { transcription: { text: 'early' }, upload: { fields: {} } },
    })
    upload.leave()
  })

  test('a route without the interceptor says so in the log, and answers 500', async () => {
    const { app: running } = await start()
    const response = await fetch(`${running.url}/forgotten`)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual(error(500, 'internal_error'))
    expect(running.log.join()).toContain('bind TranscribeInterceptor to the route')
  })
})

test('a mistaken option shows when the route is declared', () => {
  expect(() => TranscribeInterceptor({ model: 'svc-transcribe-1.0', maxFileSize: 0 })).toThrow('maxFileSize')
})
