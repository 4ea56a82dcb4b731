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
import { audioWebhooks, forwardAudio, forwardUpload, playResult, speak, transcribeUpload, type WebHandler } from '@svc-audio/upload'
declare const client: AudioClient
declare const keyterms: string[]
interface RequestEvent { readonly request: Request; readonly locals: { readonly maxBytes: number } }
`

/** Likely mistakes. */
const likely: readonly Misuse[] = [
  [
    "client.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: 'rms', response_format: 'ogg' })",
    "write 'opus'",
  ],
  [
    "client.transcriptions.create({ model: 'svc-transcribe-1.0', file: 'a.wav', diarize: true })",
    'needs the model svc-transcribe-diarize-pro',
  ],
  [
    "client.transcriptions.createTask({ model: 'svc-transcribe-1.0', file: 'a.wav', keyterms: ['svc'] })",
    'needs the model svc-transcribe-diarize-pro',
  ],
  ...handlerMistakes({ transcribe: 'transcribeUpload', speak: 'speak' }),
  ...uploadMistakes('forwardUpload', 'call: async () => 1,'),
  uncalled('transcribeUpload', 'export const POST: WebHandler = transcribeUpload'),
  uncalled('forwardUpload', 'export const PUT: WebHandler = forwardUpload'),
  uncalled('speak', 'export const PATCH: WebHandler = speak'),
  uncalled('playResult', 'export const GET: WebHandler = playResult'),
]

const misuses: readonly Misuse[] = [
  ...handlerMisuses({ transcribe: 'transcribeUpload', speak: 'speak' }),
  ["transcribeUpload({ client, respond: 'task', answer: () => new Response() })", `"needs respond: 'json'"`],
  [
    'transcribeUpload({ client, answer: ({ transcription }) => transcription.text })',
    "Type 'string' is not assignable to type 'Promise<Response> | Response'",
  ],
  ['forwardUpload({ client })', "'client' does not exist"],
  ['forwardAudio({ client })', "'client' does not exist"],
  ['audioWebhooks({ client })', "'client' does not exist"],
  ['playResult({ client })', "Property 'task' is missing"],
]

/** Code that must compile. */
const uses = [
  "speak({ client, voice_id: 'rms' })",
  "speak({ client, respond: 'sse', language: 'en', speed: 2 })",
  'transcribeUpload({ client, keyterms })',
  'transcribeUpload({ client, maxFileSize: ({ locals }: RequestEvent) => locals.maxBytes })',
  'export const DELETE: WebHandler = transcribeUpload({ client })',
  'playResult({ client, task: ({ url }: Request) => url.slice(-3) })',
]

test('each known misuse does not compile, and its message names the remedy; correct uses compile', async () => {
  expect(await wrongMessages({ folder: join(import.meta.dirname, '..'), head, likely, misuses, uses })).toEqual([])
})
