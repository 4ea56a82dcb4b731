// Cloud Functions read every body, and pass its bytes on.
import type { IncomingMessage } from 'node:http'
import { createTestUpstream, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import express from 'express'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { audioErrors, transcribeUpload } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream
let app: TestApp | undefined
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await upstream.close()
})

const AUDIO = wavFile(300_000)

/** What the functions framework of Cloud Functions does: `rawBody` has the bytes, `body` the parsed body. */
const cloudFunctions = express.raw({
  type: () => true,
  limit: '32mb',
  verify: (request: IncomingMessage, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
})

test('an upload in `rawBody` is transcribed whole, and a refused one has its status', async () => {
  app = await startApp(upstream.url, (routes, client) => {
    routes.post(
      '/',
      cloudFunctions,
      parsed,
      transcribeUpload({ client, maxFileSize: 400_000 }),
      (request, response) => {
        response.json({ text: request.transcription.text, bytes: request.upload.bytes })
      },
    )
    routes.use(audioErrors({ logger: false }))
  })
  const send = async (body: FormData): Promise<unknown> => {
    const response = await fetch(app?.url ?? '', { method: 'POST', body })
    return [response.status, await response.json()]
  }
  expect(await send(uploadForm(AUDIO))).toEqual([200, { text: 'hello', bytes: AUDIO.byteLength }])
  expect(await send(uploadForm(wavFile(500_000)))).toMatchObject([413, { error: { code: 'file_too_large' } }])
})

/** Replaces the bytes by fields, as a parser of forms does. */
function parsed(request: express.Request, _response: express.Response, next: express.NextFunction): void {
  request.body = {}
  next()
}
