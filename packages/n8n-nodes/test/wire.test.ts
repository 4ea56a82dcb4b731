import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Engine, outputOf, startEngine } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { KEY } from './support/test-service.ts'
import { readAll, readForm, sendJson, startUpstream, type Upstream } from './support/upstream.ts'

// Nodes of others show fields that their requests never hold: every field is followed to the wire here.

const AUDIO = Buffer.from('some audio')
const ITEMS = [
  { json: {}, binary: { memo: { data: AUDIO.toString('base64'), mimeType: 'audio/flac', fileName: 'memo 1.flac' } } },
]

let engine: Engine
let upstream: Upstream
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(request, response))
  engine = await startEngine({ apiKey: KEY, baseUrl: `${upstream.url}/v1/` })
})

beforeEach(() => {
  answer = (_request, response) => sendJson(response, 500, {})
})

afterAll(async () => {
  await engine?.close()
  await upstream?.close()
})

test('Speech sends its fields, the key, and nothing else', async () => {
  const sent = Promise.withResolvers<unknown>()
  answer = (request, response) => {
    void readAll(request).then((body) => sent.resolve(JSON.parse(body.toString())))
    response.writeHead(200, { 'content-type': 'audio/ogg' }).end(AUDIO)
  }
  const parameters = speech({ text: 'Hi', voice: byId('v-7'), model: byId('my-model'), responseFormat: 'opus' })
  const [item] = outputOf(await engine.run([{ name: 'Speak', parameters }]), 'Speak')
  expect(await sent.promise).toEqual({ model: 'my-model', input: 'Hi', voice_id: 'v-7', response_format: 'opus' })
  expect(upstream.requests.at(-1)).toMatchObject({ method: 'POST', url: '/v1/audio/speech' })
  expect(upstream.requests.at(-1)?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
  })
  expect(item?.json).toEqual({ fileName: 'speech.opus', contentType: 'audio/ogg', bytes: AUDIO.byteLength })
})

test('Transcription sends file, name, type, length and options', async () => {
  const sent = Promise.withResolvers<FormData>()
  const result = { task: 'transcribe', duration: 1.5, text: 'hello', segments: [{ speaker: 'S01' }], more: 'kept' }
  answer = (request, response) => {
    sent.resolve(readForm(request))
    void sent.promise.then(() => sendJson(response, 200, result))
  }
  const parameters = transcription({
    binaryPropertyName: 'memo',
    model: byId('svc-transcribe-diarize-pro'),
    options: { diarize: true, keyterms: ['Kowalski', ' ', 'Tromsø'] },
  })
  const [item] = outputOf(await engine.run([{ name: 'Listen', parameters }], { items: ITEMS }), 'Listen')
  expect(item?.json).toEqual(result)
  const form = await sent.promise
  const { file, ...fields } = Object.fromEntries(form) as { file: File; [name: string]: File | string }
  expect(fields).toEqual({
    model: 'svc-transcribe-diarize-pro',
    diarize: 'true',
    keyterms: 'Tromsø',
    response_format: 'json',
  })
  expect(form.getAll('keyterms')).toEqual(['Kowalski', 'Tromsø'])
  expect(file).toMatchObject({ name: 'memo 1.flac', type: 'audio/flac', size: AUDIO.byteLength })
  expect(upstream.requests.at(-1)?.headers).not.toHaveProperty('transfer-encoding')
})

// rules: transcription.defaults-open
test('without options, what they would say is left to the service', async () => {
  const sent = Promise.withResolvers<FormData>()
  answer = (request, response) => {
    void readForm(request).then((form) => sent.resolve(form))
    sendJson(response, 200, { text: '' })
  }
  await engine.run([{ name: 'Listen', parameters: transcription({ binaryPropertyName: 'memo' }) }], { items: ITEMS })
  expect([...(await sent.promise).keys()]).toEqual(['model', 'response_format', 'file'])
})

test('a file that the service holds already is named by its id', async () => {
  const sent = Promise.withResolvers<unknown>()
  answer = (request, response) => {
    void readAll(request).then((body) => sent.resolve(JSON.parse(body.toString())))
    response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')
  }
  const parameters = transcription({ source: 'fileId', fileId: 'file-3', responseFormat: 'text' })
  const [item] = outputOf(await engine.run([{ name: 'Listen', parameters }]), 'Listen')
  expect(await sent.promise).toEqual({ model: 'svc-transcribe-1.0', file_id: 'file-3', response_format: 'text' })
  expect(item?.json).toEqual({ text: 'hello' })
})
