import 'reflect-metadata'
import { HttpStatus, Body, Controller, Post, UseInterceptors, ValidationPipe } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { createTestUpstream, type TestUpstream, wavFile } from '@svc-audio/testing'
import { Type } from 'class-transformer'
import { IsInt, MinLength } from 'class-validator'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  AudioModule,
  ForwardUploadInterceptor,
  TranscribeUploadInterceptor,
  type TranscribeUploadOptions,
} from '../src/index.ts'
import { KEY, PLATFORMS, post, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

class Meeting {
  @MinLength(3)
  title!: string

  @Type(() => Number)
  @IsInt()
  people!: number
}

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', new Blob([Uint8Array.from(wavFile(2000))], { type: 'audio/wav' }), 'a.wav')
  return data
}

describe.each(PLATFORMS)('text fields of an upload on %s', (platform) => {
  async function start(
    fields?: TranscribeUploadOptions['fields'] | typeof Meeting,
    validation = new ValidationPipe({ transform: true }),
    asProvider = false,
  ): Promise<string> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test passes any of the forms of the option
    const options = (fields === undefined ? {} : { fields }) as TranscribeUploadOptions

    @Controller()
    class Routes {
      @Post('transcribe')
      @UseInterceptors(TranscribeUploadInterceptor(options))
      transcribe(@Body() body: Meeting): object {
        return { isMeeting: body instanceof Meeting, body }
      }

      @Post('voices')
      @UseInterceptors(
        ForwardUploadInterceptor({
          fields: Meeting,
          call: async ({ file, values, options: call }, { client }) =>
            client.voices.create({ audio_sample: file, name: values.title }, call),
        }),
      )
      voice(@Body() { title }: Meeting): object {
        return { title }
      }
    }
    upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
    app = await startApp(
      platform,
      {
        imports: [AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })],
        controllers: [Routes],
        providers: asProvider ? [{ provide: APP_PIPE, useValue: validation }] : [],
      },
      (nest) => (asProvider ? nest : nest.useGlobalPipes(validation)),
    )
    return app.url
  }

  test('are in `@Body()` without an option, where the pipes of the app check them', async () => {
    const url = await start()
    expect(await post(`${url}/transcribe`, form({ title: 'Weekly', people: '4' }))).toMatchObject({
      status: 201,
      body: { isMeeting: true, body: { title: 'Weekly', people: 4 } },
    })
  })

  test('are checked by a class before the call, with the errors of `@Body()`', async () => {
    const url = await start(Meeting)
    const refused = await post(`${url}/transcribe`, form({ title: 'x', people: 'four' }))
    expect(refused).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
    expect(JSON.stringify(refused.body)).toContain('title must be longer than or equal to 3 characters')
    expect(upstream?.requests).toHaveLength(0)
  })

  test('that pass a class are an instance of it, without other fields', async () => {
    const url = await start(Meeting)
    expect(await post(`${url}/transcribe`, form({ title: 'Weekly', people: '4', admin: 'true' }))).toMatchObject({
      status: 201,
      body: { isMeeting: true, body: { title: 'Weekly', people: 4 } },
    })
  })

  test.each([
    ['useGlobalPipes()', false],
    ['APP_PIPE', true],
  ])('that a global ValidationPipe of %s forbids are refused before the call', async (_by, asProvider) => {
    const strict = new ValidationPipe({
      whitelist: true,
      forbidNonWhitelisted: true,
      errorHttpStatusCode: HttpStatus.UNPROCESSABLE_ENTITY,
    })
    const url = await start(Meeting, strict, asProvider)
    const fields = { title: 'Weekly', people: '4' }
    for (const route of ['transcribe', 'voices']) {
      const refused = await post(`${url}/${route}`, form({ ...fields, admin: 'true' }))
      expect(refused).toMatchObject({ status: 422 })
      expect(JSON.stringify(refused.body)).toContain('property admin should not exist')
    }
    expect(upstream?.requests).toHaveLength(0)
    expect(await post(`${url}/transcribe`, form(fields))).toMatchObject({ status: 201 })
  })

  test('are checked by a schema before the call', async () => {
    const url = await start(z.object({ title: z.string().min(3), people: z.string() }))
    expect(await post(`${url}/transcribe`, form({ title: 'x' }))).toMatchObject({
      status: 400,
      body: { errorCode: 'invalid_fields' },
    })
    expect(upstream?.requests).toHaveLength(0)
  })

  test('are checked by a schema that is a function, as those of arktype are', async () => {
    const schema = Object.assign(() => undefined, { '~standard': z.object({ title: z.string().min(3) })['~standard'] })
    const url = await start(schema)
    expect(await post(`${url}/transcribe`, form({ title: 'x' }))).toMatchObject({
      status: 400,
      body: { errorCode: 'invalid_fields' },
    })
    expect(upstream?.requests).toHaveLength(0)
  })

  test('reach `call` of ForwardUploadInterceptor checked', async () => {
    const url = await start()
    expect(await post(`${url}/voices`, form({ title: 'x', people: '4' }))).toMatchObject({ status: 400 })
    expect(upstream?.requests).toHaveLength(0)
    expect(await post(`${url}/voices`, form({ title: 'Weekly', people: '4' }))).toMatchObject({
      status: 201,
      body: { title: 'Weekly' },
    })
  })
})

test('anything else than a class or a schema is refused when the class is defined', () => {
  expect(() => TranscribeUploadInterceptor({ fields: 'title' as never })).toThrow('`fields` must be a class')
})
