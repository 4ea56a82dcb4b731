import { join } from 'node:path'
import {
  handlerMistakes,
  handlerMisuses,
  type Misuse,
  uncalled,
  uploadMistakes,
  wrongMessages,
} from '@svc-audio/kit/behaviour'
import { expect, test } from 'vitest'

const head = `
import type { AudioClient } from '@svc-audio/core'
import Fastify from 'fastify'
import { audio, audioWebhooks, forwardAudio, forwardUpload, playResult, speak, transcribeUpload } from '@svc-audio/fastify'
declare const client: AudioClient
declare const keyterms: string[]
const app = Fastify()
`

/** Likely mistakes. */
const likely: readonly Misuse[] = [
  ...handlerMistakes({ transcribe: 'transcribeUpload', speak: 'speak' }),
  ...uploadMistakes('forwardUpload', 'call: async () => 1,'),
  uncalled('transcribeUpload', "app.post('/x', transcribeUpload)"),
  uncalled('forwardUpload', "app.post('/x', forwardUpload)"),
  uncalled('speak', "app.post('/x', speak)"),
  uncalled('playResult', "app.get('/x', playResult)"),
  uncalled('forwardAudio', "app.get('/x', forwardAudio)"),
  uncalled('audioWebhooks', "app.post('/x', audioWebhooks)"),
]

const misuses: readonly Misuse[] = [
  ...handlerMisuses({ transcribe: 'transcribeUpload', speak: 'speak' }),
  ["transcribeUpload({ client, respond: 'task', answer: () => 'x' })", `"needs respond: 'json'"`],
  ['app.register(audio())', 'Expected 2 arguments, but got 0'],
  ['app.register(transcribeUpload({ client }))', "Argument of type 'FastifyHandler' is not assignable"],
  ['forwardUpload({ client })', "'client' does not exist"],
  ['forwardAudio({ client })', "'client' does not exist"],
  ['audioWebhooks({ client })', "'client' does not exist"],
  ['playResult({})', "Property 'client' is missing"],
]

/** Code that must compile. */
const uses = [
  'app.register(audio)',
  'speak({ client, voice_id: (request) => request.url })',
  "speak({ client, respond: 'sse', language: 'en', speed: 2 })",
  'transcribeUpload({ client, keyterms })',
  "transcribeUpload({ client, respond: 'task', onTask: ({ id }, request) => request.log.info(id) })",
  "app.post('/x', transcribeUpload({ client, answer: ({ transcription }) => transcription.text }))",
  "app.get('/x/:id', playResult({ client }))",
]

test('each known misuse does not compile, and its message names the remedy; correct uses compile', async () => {
  expect(await wrongMessages({ folder: join(import.meta.dirname, '..'), head, likely, misuses, uses })).toEqual([])
})
