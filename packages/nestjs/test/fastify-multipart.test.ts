import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Controller, type INestApplication, Post, Req, type Type, UseInterceptors } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { FileStreamInterceptor } from '@nestjs/platform-fastify/multipart'
import { createTestUpstream, SlowUpload, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { AudioModule, TranscribeUploadInterceptor, Transcription } from '../src/index.ts'
import { post, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

@Controller()
class Ours {
  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
  transcribe(@Transcription() { text }: Transcription): object {
    return { text }
  }

  @Post('other')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0', fileField: 'other' }))
  other(@Transcription() { text }: Transcription): object {
    return { text }
  }
}

@Controller()
class Theirs {
  @Post('measure')
  @UseInterceptors(FileStreamInterceptor('file'))
  async measure(@Req() { file }: { file: { stream: Readable } }): Promise<object> {
    let bytes = 0
    file.stream.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
    })
    await once(file.stream, 'end')
    return { bytes }
  }
}

const fastifyOf = (nest: INestApplication) => (nest as NestFastifyApplication).getHttpAdapter().getInstance()

type Fastify = ReturnType<typeof fastifyOf>

async function start(
  controllers: Type[],
  prepare: (fastify: Fastify) => void = () => {},
): Promise<{ url: string; upstream: TestUpstream }> {
  upstream = await createTestUpstream({ transcript: 'hello' })
  const imports = [AudioModule.forRoot({ apiKey: upstream.apiKey, baseUrl: upstream.url })]
  app = await startApp('Fastify', { imports, controllers }, (nest) => prepare(fastifyOf(nest)))
  return { url: app.url, upstream }
}

test('several routes may transcribe', async () => {
  const { url } = await start([Ours])
  expect((await post(`${url}/transcribe`, uploadForm(wavFile(100)))).body).toEqual({ text: 'hello' })
  expect((await post(`${url}/other`, uploadForm(wavFile(100), { field: 'other' }))).body).toEqual({ text: 'hello' })
})

test.each([
  ['after', [Ours, Theirs]],
  ['before', [Theirs, Ours]],
])("Nest's own upload interceptors, bound %s ours, work beside it", async (_order, controllers) => {
  const { url } = await start(controllers)
  expect((await post(`${url}/transcribe`, uploadForm(wavFile(100)))).body).toEqual({ text: 'hello' })
  expect((await post(`${url}/measure`, uploadForm(wavFile(5000)))).body).toEqual({ bytes: 5044 })
})

test('with @fastify/multipart the file streams too, without the limits of the plugin', async () => {
  const { url, upstream: service } = await start([Ours, Theirs])
  const upload = new SlowUpload(`${url}/transcribe`)
  await upload.send(wavFile(2 * 1024 * 1024))
  const request = await service.waitForRequest()
  await request.received(2 * 1024 * 1024)
  upload.finish()
  expect(await upload.answer()).toEqual({ status: 201, body: { text: 'hello' } })
})

test.each([
  ['at once', false],
  ['by a plugin', true],
])('a parser that the app registers itself, %s, is left alone', async (_how, plugin) => {
  const seen: string[] = []
  const { url } = await start([Ours], (fastify) => {
    const register = async (): Promise<void> => {
      fastify.addContentTypeParser('multipart/form-data', (_request, _payload, done) => {
        seen.push('parsed')
        done(null)
      })
    }
    if (plugin) void fastify.register(Object.assign(register, { [Symbol.for('skip-override')]: true }))
    else void register()
  })
  expect((await post(`${url}/transcribe`, uploadForm(wavFile(100)))).body).toEqual({ text: 'hello' })
  expect(seen).toEqual(['parsed'])
})

test('an app without an upload interceptor refuses multipart requests', async () => {
  @Controller()
  class Plain {
    @Post('plain')
    plain(): object {
      return {}
    }
  }
  const { url } = await start([Plain])
  expect((await post(`${url}/plain`, uploadForm(wavFile(100)))).status).toBe(415)
})
