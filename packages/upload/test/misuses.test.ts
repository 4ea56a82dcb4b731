import { join } from 'node:path'
import { handlerMisuses, type Misuse, uncalled, wrongMessages } from '@svc-audio/kit/behaviour'
import { expect, test } from 'vitest'

const head = `
import type { AudioClient } from '@svc-audio/core'
import { audioHandler, playResultHandler, speakHandler, transcribeHandler, uploadHandler, type WebHandler, webhookHandler } from '@svc-audio/upload'
declare const client: AudioClient
declare const keyterms: string[]
interface RequestEvent { readonly request: Request; readonly locals: { readonly maxBytes: number } }
`

const misuses: readonly Misuse[] = [
  ...handlerMisuses({ transcribe: 'transcribeHandler', speak: 'speakHandler' }),
  ["transcribeHandler({ client, respond: 'task', answer: () => new Response() })", `"needs respond: 'json'"`],
  [
    'transcribeHandler({ client, answer: ({ transcription }) => transcription.text })',
    "Type 'string' is not assignable to type 'Promise<Response> | Response'",
  ],
  uncalled('transcribeHandler', 'export const POST: WebHandler = transcribeHandler'),
  uncalled('uploadHandler', 'export const PUT: WebHandler = uploadHandler'),
  uncalled('speakHandler', 'export const PATCH: WebHandler = speakHandler'),
  uncalled('playResultHandler', 'export const GET: WebHandler = playResultHandler'),
  ['uploadHandler({ client })', "'client' does not exist"],
  ['audioHandler({ client })', "'client' does not exist"],
  ['webhookHandler({ client })', "'client' does not exist"],
  ['playResultHandler({ client })', "Property 'task' is missing"],
]

/** Code that must compile. */
const uses = [
  "speakHandler({ client, voice_id: 'rms' })",
  "speakHandler({ client, respond: 'sse', language: 'en', speed: 2 })",
  'transcribeHandler({ client, keyterms })',
  'transcribeHandler({ client, maxFileSize: ({ locals }: RequestEvent) => locals.maxBytes })',
  'export const DELETE: WebHandler = transcribeHandler({ client })',
  'playResultHandler({ client, task: ({ url }: Request) => url.slice(-3) })',
]

test('each known misuse does not compile, and its message names the remedy; correct uses compile', async () => {
  expect(await wrongMessages({ folder: join(import.meta.dirname, '..'), head, misuses, uses })).toEqual([])
})
