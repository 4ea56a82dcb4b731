import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  type INestApplication,
  Injectable,
  Module,
  Post,
  RequestMethod,
  Sse,
  UseInterceptors,
} from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { AudioClient, type Voice } from '@svc-audio/core'
import {
  createTestUpstream,
  hold,
  SlowUpload,
  status,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { from, map } from 'rxjs'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AudioModule,
  type AudioModuleExtras,
  type AudioModuleOptions,
  ForwardUploadInterceptor,
  type ReceivedUpload,
  TranscribeUploadInterceptor,
  type TranscribeUploadOptions,
  Transcription,
  TranscriptionStream,
  TranscriptionTask,
  Upload,
  UploadResult,
} from '../src/index.ts'
import { PLATFORMS, post, startApp, type TestApp } from './support/app.ts'

const KEY = 'sk-sekret-key'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

/** A usual catch-all filter: it answers Nest's exceptions with their status and others with 500. */
@Catch()
class CatchAll implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<{ status(code: number): { send(body: object): void } }>()
    const code = error instanceof HttpException ? error.getStatus() : 500
    response.status(code).send({ caught: code })
  }
}

const noFilter = (): void => {}
const catchAll = (nest: INestApplication): void => void nest.useGlobalFilters(new CatchAll())

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(
    options: TranscribeUploadOptions,
    {
      prepare = noFilter,
      module = {},
      more = [],
    }: {
      prepare?: (nest: INestApplication) => void
      module?: Partial<AudioModuleOptions & AudioModuleExtras>
      more?: readonly (AudioModuleOptions & AudioModuleExtras)[]
    } = {},
  ) {
    @Controller()
    class Routes {
      @Post('transcribe')
      @UseInterceptors(TranscribeUploadInterceptor(options))
      transcribe(@Transcription() { text }: Transcription, @Upload() { bytes }: ReceivedUpload): object {
        return { text, bytes }
      }
    }
    upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
    const { url: baseUrl } = upstream
    const clients = [{ apiKey: KEY, ...module }, ...more].map((one) => AudioModule.forRoot({ baseUrl, ...one }))
    app = await startApp(platform, { imports: clients, controllers: [Routes] }, prepare)
    return { app, upstream, address: `${app.url}/transcribe` }
  }

  describe('without AudioExceptionFilter', () => {
    test.each([
      [400, 'missing_file', () => new FormData()],
      [413, 'file_too_large', () => uploadForm(wavFile(2000))],
      [415, 'unsupported_content', () => uploadForm(Buffer.from('%PDF-1.7'))],
    ])('a refused upload is %i %s', async (refusal, errorCode, body) => {
      const { address, app: running } = await start({ maxFileSize: 1000 })
      const response = await post(address, body())
      expect(response).toMatchObject({ status: refusal, body: { statusCode: refusal, errorCode } })
      expect(running.log).toEqual([])
    })

    test.each([
      [429, 429, 'rate_limited'],
      [401, 502, 'audio_service_unavailable'],
      [500, 502, 'audio_service_unavailable'],
      [504, 504, 'audio_service_timeout'],
    ])('a %i of the service is %i %s with Retry-After, logged once from 500 on', async (theirs, ours, errorCode) => {
      const { address, upstream: service, app: running } = await start({})
      service.next('*', status(theirs, { headers: { 'retry-after': '7' }, error: { code: 'x', message: 'sekret' } }))
      const response = await post(address, uploadForm(wavFile(100)))
      expect(response).toMatchObject({ status: ours, body: { statusCode: ours, errorCode } })
      expect(response.headers.get('retry-after')).toBe('7')
      expect(JSON.stringify(response.body)).not.toContain('sekret')
      const routes = running.log.map((line) => line.includes('POST /transcribe'))
      expect(routes).toEqual(ours >= 500 ? [true] : [])
    })

    test('a catch-all filter sees the status', async () => {
      const { address, upstream: service } = await start({}, { prepare: catchAll })
      expect(await post(address, new FormData())).toMatchObject({ status: 400, body: { caught: 400 } })
      service.next('*', status(429, { headers: { 'retry-after': '7' } }))
      const limited = await post(address, uploadForm(wavFile(100)))
      expect(limited).toMatchObject({ status: 429, body: { caught: 429 } })
      expect(limited.headers.get('retry-after')).toBe('7')
    })

    test('a disconnect logs nothing, and the app answers the next request', async () => {
      const { address, upstream: service, app: running } = await start({})
      const upload = new SlowUpload(address)
      await upload.send(wavFile(200_000))
      const request = await service.waitForRequest()
      upload.leave()
      expect(await request.closed()).toBe('closedByClient')
      expect((await post(address, uploadForm(wavFile(100)))).status).toBe(201)
      expect(running.log).toEqual([])
    })
  })

  test('validate refuses an upload before the billable call, by the fields before the file', async () => {
    const { address, upstream: service } = await start({
      validate: (_context, { fields }) => {
        if (fields['plan']?.[0] !== 'paid') throw new BadRequestException('Choose a plan')
      },
    })
    expect(await post(address, uploadForm(wavFile(100)))).toMatchObject({
      status: 400,
      body: { message: 'Choose a plan' },
    })
    expect(service.requests).toEqual([])
    const paid = new FormData()
    paid.append('plan', 'paid')
    paid.append('file', new Blob([Uint8Array.from(wavFile(100))]), 'a.wav')
    expect((await post(address, paid)).status).toBe(201)
  })

  describe('tee', () => {
    const content = wavFile(300_000)
    const chunksOf = async (copy: AsyncIterable<Uint8Array>): Promise<Buffer> => {
      const chunks: Uint8Array[] = []
      for await (const chunk of copy) chunks.push(chunk)
      return Buffer.concat(chunks)
    }

    test('gives the sink the same bytes, the file name and the execution context', async () => {
      const stored: unknown[] = []
      const { address, upstream: service } = await start({
        tee: {
          sink: async (copy, { filename }, context) =>
            stored.push(await chunksOf(copy), filename, context.getHandler().name),
        },
      })
      expect((await post(address, uploadForm(content))).status).toBe(201)
      expect(stored).toEqual([content, 'speech.wav', 'transcribe'])
      expect(service.requests[0]?.form?.files).toMatchObject([{ content }])
    })

    test('answers 500 when its sink fails, or continues, as configured', async () => {
      const sink = (): Promise<never> => Promise.reject(new Error('disk full'))
      const strict = await start({ tee: { sink } })
      expect(await post(strict.address, uploadForm(content))).toMatchObject({
        status: 500,
        body: { errorCode: 'tee_failed' },
      })
      expect(strict.app.log.join()).toContain('disk full')
      await app?.close()
      await upstream?.close()
      const lenient = await start({ tee: { sink, onError: 'ignore' } })
      expect(await post(lenient.address, uploadForm(content))).toMatchObject({ status: 201, body: { text: 'hello' } })
    })

    test('destroys the copy when the client disconnects', async () => {
      const copied = Promise.withResolvers<unknown>()
      const { address, upstream: service } = await start({
        tee: { sink: async (copy) => chunksOf(copy).then(copied.resolve, copied.resolve) },
      })
      const upload = new SlowUpload(address)
      await upload.send(content)
      await (await service.waitForRequest()).received(1)
      upload.leave()
      expect(await copied.promise).toMatchObject({ code: 'client_disconnected' })
    })
  })

  describe('defaults of the module', () => {
    const uploads = { model: 'svc-transcribe-diarize-pro', maxFileSize: 1000 }

    test('hold for interceptors without options', async () => {
      const { address, upstream: service } = await start({}, { module: { uploads } })
      expect((await post(address, uploadForm(wavFile(2000)))).status).toBe(413)
      expect((await post(address, uploadForm(wavFile(100)))).status).toBe(201)
      expect(service.requests.at(-1)?.form?.fields['model']).toEqual(['svc-transcribe-diarize-pro'])
    })

    test('are replaced by options', async () => {
      const { address } = await start({ maxFileSize: 5000 }, { module: { uploads } })
      expect((await post(address, uploadForm(wavFile(2000)))).status).toBe(201)
    })
  })

  test('the client can be chosen for each request, by name or as a client', async () => {
    const tenant = (context: ExecutionContext): string =>
      context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['x-tenant'] ?? ''
    const { address, upstream: service } = await start(
      {
        client: (context) =>
          tenant(context) === 'own'
            ? new AudioClient({ apiKey: KEY, baseUrl: service.url, maxRetries: 0 })
            : tenant(context),
      },
      { module: { apiKey: 'another-key' }, more: [{ apiKey: KEY, name: 'a' }] },
    )
    const send = async (name: string) =>
      fetch(address, { method: 'POST', body: uploadForm(wavFile(100)), headers: { 'x-tenant': name } })
    expect((await send('a')).status).toBe(201)
    expect((await send('own')).status).toBe(201)
    expect(service.requests).toMatchObject([{ authorized: true }, { authorized: true }])
    expect((await send('unknown')).status).toBe(500)
    expect(app?.log.join()).toContain('the AudioClient named "unknown"')
  })

  test('a client function that returns nothing is a 500, not the client without a name', async () => {
    const { address, upstream: service } = await start({ client: () => undefined as never })
    expect((await post(address, uploadForm(wavFile(100)))).status).toBe(500)
    expect(app?.log.join()).toContain('The result of the function `client` must be the name of a client')
    expect(service.requests).toEqual([])
  })

  describe('the other outcomes', () => {
    const stored: string[] = []

    @Controller()
    class Routes {
      @Sse('live', { method: RequestMethod.POST })
      @UseInterceptors(TranscribeUploadInterceptor({ respond: 'sse', maxFileSize: 10_000 }))
      live(@TranscriptionStream() events: TranscriptionStream) {
        return from(events).pipe(map((data) => ({ data })))
      }

      @Post('jobs')
      @UseInterceptors(
        TranscribeUploadInterceptor({
          respond: 'task',
          webhook_url: (context) => `https://app.example/${context.getHandler().name}`,
          onTask: ({ id }) => void stored.push(id),
        }),
      )
      job(@TranscriptionTask() { id }: TranscriptionTask, @Upload() { filename }: ReceivedUpload): object {
        return { id, filename }
      }

      @Post('voices')
      @UseInterceptors(
        ForwardUploadInterceptor({
          call: async ({ file, options, fields }, { client }) => {
            if (fields['name'] === undefined) throw new BadRequestException('Send a name before the file')
            return client.voices.create({ audio_sample: file, name: fields['name'].join() }, options)
          },
        }),
      )
      voice(@UploadResult() { id, name }: Voice): object {
        return { id, name }
      }
    }

    async function routes(): Promise<{ url: string; service: TestUpstream; log: string[] }> {
      upstream = await createTestUpstream({ apiKey: KEY })
      const audio = AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })
      app = await startApp(platform, { imports: [audio], controllers: [Routes] }, noFilter)
      return { url: app.url, service: upstream, log: app.log }
    }

    test('an upload becomes live events', async () => {
      const { url } = await routes()
      const response = await fetch(`${url}/live`, { method: 'POST', body: uploadForm(wavFile(1000)) })
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      const types = (await response.text())
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => (JSON.parse(line.slice(6)) as { type: string }).type)
      expect(types[0]).toBe('task.created')
      expect(types).toContain('transcript.text.delta')
      expect(types.at(-1)).toBe('transcript.text.done')
    })

    test("a failure of live events is an error event without the service's message", async () => {
      const { url, service, log } = await routes()
      service.next('*', status(500, { error: { code: 'x', message: 'sekret' } }))
      const response = await fetch(`${url}/live`, { method: 'POST', body: uploadForm(wavFile(1000)) })
      const body = await response.text()
      expect(body).toContain('The audio service')
      expect(body).not.toContain('sekret')
      expect(log).toHaveLength(1)
    })

    test('a disconnect from live events aborts the call', async () => {
      const { url, service } = await routes()
      service.next('*', hold())
      const leaving = new AbortController()
      const body = uploadForm(wavFile(1000))
      const left = fetch(`${url}/live`, { method: 'POST', body, signal: leaving.signal }).catch(() => 'left')
      const request = await service.waitForRequest()
      await request.received()
      leaving.abort()
      expect(await request.closed()).toBe('closedByClient')
      await left
    })

    test('an upload becomes a task', async () => {
      const { url, service } = await routes()
      const response = await post(`${url}/jobs`, uploadForm(wavFile(1000), { name: 'talk.wav' }))
      expect(response).toMatchObject({ status: 201, body: { filename: 'talk.wav', id: expect.any(String) as string } })
      expect(service.requests[0]?.form?.fields).toMatchObject({
        async: ['true'],
        webhook_url: ['https://app.example/job'],
      })
      expect(response.body).toMatchObject({ id: stored.at(-1) })
    })

    test('an upload streams into any call of the client', async () => {
      const { url, service } = await routes()
      const form = new FormData()
      form.append('name', 'Ann')
      form.append('file', new Blob([Uint8Array.from(wavFile(1000))]), 'a.wav')
      expect(await post(`${url}/voices`, form)).toMatchObject({ status: 201, body: { name: 'Ann' } })
      expect(service.requests[0]?.form?.files).toMatchObject([{ field: 'audio_sample', filename: 'a.wav' }])
      expect((await post(`${url}/voices`, uploadForm(wavFile(10)))).status).toBe(400)
    })
  })
})

describe('the app does not start, with an error that names the fault,', () => {
  const start = async (options: TranscribeUploadOptions, imports: object[] = []) => {
    @Controller()
    class Routes {
      @Post('transcribe')
      @UseInterceptors(TranscribeUploadInterceptor(options))
      transcribe(): void {}
    }
    const builder = Test.createTestingModule({ imports: imports as never[], controllers: [Routes] })
    return (await builder.compile()).init()
  }
  const audio = { apiKey: 'key', baseUrl: 'http://service.test' }

  test('without AudioModule', async () => {
    await expect(start({})).rejects.toThrow(
      'TranscribeUploadInterceptor cannot find the AudioClient. Was AudioModule imported? Import AudioModule.forRoot() into the same module, or set isGlobal.',
    )
  })

  test('without the named client', async () => {
    await expect(start({ client: 'good' }, [AudioModule.forRoot(audio)])).rejects.toThrow(
      'Import AudioModule.forRoot({ name: "good" })',
    )
  })

  test('with a wrong default of the module', async () => {
    const wrong = AudioModule.forRoot({ ...audio, uploads: { maxFileSize: Number.NaN } })
    await expect(start({}, [wrong])).rejects.toThrow('`maxFileSize`')
    const unknown = AudioModule.forRoot({ ...audio, uploads: { maxfilesize: 1 } as object })
    await expect(start({}, [unknown])).rejects.toThrow('maxFileSize')
  })
})

test('an option that only tasks use is refused without them', () => {
  expect(() => TranscribeUploadInterceptor({ onTask: () => {} })).toThrow("`onTask` needs respond: 'task'")
})

test('two copies of the package share the client, and one override replaces it', async () => {
  @Injectable()
  class Consumer {
    constructor(readonly audio: AudioClient) {}
  }
  @Module({ imports: [AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test' })], providers: [Consumer] })
  class Root {}
  const mine = new AudioClient({ apiKey: 'other', baseUrl: 'http://service.test' })
  const made = await Test.createTestingModule({ imports: [Root] })
    .overrideProvider(AudioClient)
    .useValue(mine)
    .compile()
  expect(made.get(Consumer).audio).toBe(mine)
  expect(made.get(Symbol.for('svc-audio.client'))).toBe(mine)
  await made.close()
})
