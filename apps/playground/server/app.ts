import { join } from 'node:path'
import { audioErrors, transcribeUpload } from '@svc-audio/express-middleware'
import express, { type Express, type Router } from 'express'
import { AudioShelf } from './api/audio-shelf.ts'
import { integrationRoutes } from './api/integrations.ts'
import { streamSpeech } from './api/speech.ts'
import { listVoices } from './api/voices.ts'
import type { AppOptions } from './app-options.ts'
import { answerErrors } from './http/answer-errors.ts'
import { HttpError } from './http/http-error.ts'
import { sameOrigin, securityHeaders } from './http/security.ts'

/** The page and its API. */
export function createApp(options: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(securityHeaders)
  app.use('/api', sameOrigin, apiRoutes(options))
  app.use('/assets', express.static(join(options.page, 'assets'), { immutable: true, maxAge: '1y' }))
  app.use(express.static(options.page))
  app.use((request) => {
    throw new HttpError(404, 'not_found', `No page at ${request.path}`)
  })
  app.use(audioErrors())
  app.use(answerErrors(options.apiKey))
  return app
}

function apiRoutes(options: AppOptions): Router {
  const { client } = options
  const shelf = new AudioShelf()
  const api = express.Router()
  api.get('/voices', listVoices(client))
  api.post('/speech', express.json(), streamSpeech(client))
  api.post('/transcriptions', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (request, response) => {
    response.json(request.transcription)
  })
  api.use('/integrations', integrationRoutes(options, shelf))
  api.get('/audio/:id', (request, response) => {
    const audio = shelf.get(request.params.id)
    if (audio === undefined)
      throw new HttpError(404, 'audio_gone', 'This audio is no longer stored. Run the integration again.')
    response.type(audio.type).send(audio.bytes)
  })
  return api
}
