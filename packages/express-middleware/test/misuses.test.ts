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
import express from 'express'
import { audioErrors, forwardUpload, playResult, speak, transcribeUpload } from '@svc-audio/express-middleware'
declare const client: AudioClient
declare const keyterms: string[]
const app = express()
`

/** Likely mistakes. */
const likely: readonly Misuse[] = [
  ...handlerMistakes({ transcribe: 'transcribeUpload', speak: 'speak' }),
  ...uploadMistakes('forwardUpload', 'call: async () => 1,'),
  [
    "app.post('/x', transcribeUpload({ client, diarize: true }), (req) => req.transcription.segments.length)",
    "'req.transcription.segments' is possibly 'undefined'",
  ],
  uncalled('transcribeUpload', "app.post('/x', transcribeUpload)"),
  uncalled('transcribeUpload', "app.post('/x', transcribeUpload, (req, res) => void res.json(req.transcription))"),
  uncalled('forwardUpload', "app.post('/x', forwardUpload)"),
  uncalled('speak', "app.post('/x', speak)"),
  uncalled('playResult', "app.get('/x', playResult)"),
  uncalled('audioErrors', 'app.use(audioErrors)'),
]

const misuses: readonly Misuse[] = [...handlerMisuses({ transcribe: 'transcribeUpload', speak: 'speak' })]

/** Code that must compile. */
const uses = [
  "speak({ client, voice_id: 'rms' })",
  'speak({ client, voice_id: (req) => req.path })',
  'speak({ client, body: (req) => ({ voice_id: req.path }) })',
  "speak({ client, respond: 'sse', language: (req) => req.path, speed: 2 })",
  "speak({ client, voice_id: 'rms', respond: 'task', onTask: ({ id }, req) => console.log(id, req.path) })",
  'transcribeUpload({ client, keyterms })',
  'transcribeUpload({ client, model: process.env.MODEL, keyterms })',
  "transcribeUpload({ client, model: 'svc-transcribe-1.0', diarize: false })",
  "transcribeUpload({ client, model: 'vendor-2', keyterms, respond: 'sse' })",
  "transcribeUpload({ client, respond: 'task', onTask: ({ id }, req) => console.log(id, req.path) })",
  'transcribeUpload({ client, fields: (v) => ({ n: Number(v.n) }), body: (_req, { values }) => ({ diarize: values.n > 1 }) })',
  "app.post('/x', transcribeUpload({ client }), (req, res) => void res.json(req.transcription.text))",
  "app.post('/x', transcribeUpload({ client, diarize: true }), ({ transcription: { segments = [] } }) => segments.length)",
  'app.use(audioErrors())',
]

test('each known misuse does not compile, and its message names the remedy; correct uses compile', async () => {
  expect(await wrongMessages({ folder: join(import.meta.dirname, '..'), head, likely, misuses, uses })).toEqual([])
})
