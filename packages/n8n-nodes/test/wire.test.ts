import { audioBytes, createTestUpstream, json, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, outputOf, startEngine } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { KEY } from './support/scripted.ts'

// Nodes of others show fields that their requests never hold: every field is followed to the wire here.

const AUDIO = Buffer.from('some audio')
const ITEMS = [
  { json: {}, binary: { memo: { data: AUDIO.toString('base64'), mimeType: 'audio/flac', fileName: 'memo 1.flac' } } },
]

let engine: Engine
let upstream: TestUpstream

beforeAll(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  engine = await startEngine({ apiKey: KEY, baseUrl: `${upstream.url}/v1/` })
})

afterAll(async () => {
  await engine?.close()
  await upstream?.close()
})

test('Speech sends its fields, the key, and nothing else', async () => {
  upstream.next('POST /v1/audio/speech', audioBytes(AUDIO, 'audio/ogg'))
  const parameters = speech({ text: 'Hi', voice: byId('v-7'), model: byId('my-model'), responseFormat: 'opus' })
  const [item] = outputOf(await engine.run([{ name: 'Speak', parameters }]), 'Speak')
  const request = await upstream.waitForRequest()
  expect(request).toMatchObject({ method: 'POST', path: '/v1/audio/speech', authorized: true })
  expect(request.headers['content-type']).toBe('application/json')
  expect(request.json).toEqual({ model: 'my-model', input: 'Hi', voice_id: 'v-7', response_format: 'opus' })
  expect(item?.json).toEqual({ fileName: 'speech.ogg', contentType: 'audio/ogg', bytes: AUDIO.byteLength })
})

test('Transcription sends file, name, type, length and options', async () => {
  const result = { task: 'transcribe', duration: 1.5, text: 'hello', segments: [{ speaker: 'S01' }], more: 'kept' }
  upstream.next('POST /v1/audio/transcriptions', json(result))
  const parameters = transcription({
    binaryPropertyName: 'memo',
    model: byId('svc-transcribe-diarize-pro'),
    options: { diarize: true, keyterms: ['Kowalski', ' ', 'Tromsø'] },
  })
  const [item] = outputOf(await engine.run([{ name: 'Listen', parameters }], { items: ITEMS }), 'Listen')
  expect(item?.json).toEqual(result)
  const request = await upstream.waitForRequest()
  expect(request.form).toEqual({
    fields: {
      model: ['svc-transcribe-diarize-pro'],
      diarize: ['true'],
      keyterms: ['Kowalski', 'Tromsø'],
      response_format: ['json'],
    },
    files: [
      expect.objectContaining({ field: 'file', filename: 'memo 1.flac', contentType: 'audio/flac', content: AUDIO }),
    ],
  })
  expect(Number(request.headers['content-length'])).toBe(request.bytes)
  expect(request.headers).not.toHaveProperty('transfer-encoding')
})

// rules: transcription.defaults-open
test('without options, what they would say is left to the service', async () => {
  await engine.run([{ name: 'Listen', parameters: transcription({ binaryPropertyName: 'memo' }) }], { items: ITEMS })
  const { form } = await upstream.waitForRequest()
  expect(form?.fields).toEqual({ model: ['svc-transcribe-1.0'], response_format: ['json'] })
})

test('a file that the service holds already is named by its id', async () => {
  upstream.next('POST /v1/audio/transcriptions', { headers: { 'content-type': 'text/plain' }, body: 'hello' })
  const parameters = transcription({ source: 'fileId', fileId: 'file-3', responseFormat: 'text' })
  const [item] = outputOf(await engine.run([{ name: 'Listen', parameters }]), 'Listen')
  const { json: sent } = await upstream.waitForRequest('POST /v1/audio/transcriptions')
  expect(sent).toEqual({ model: 'svc-transcribe-1.0', file_id: 'file-3', response_format: 'text' })
  expect(item?.json).toEqual({ text: 'hello' })
})
