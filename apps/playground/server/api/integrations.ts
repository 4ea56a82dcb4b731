import { disconnectSignal } from '@svc-audio/upload'
import express, { type RequestHandler, type Router } from 'express'
import type { IntegrationResult, IntegrationsResponse } from '../../shared/api.ts'
import type { AppOptions } from '../app-options.ts'
import { HttpError } from '../http/http-error.ts'
import { readExcerpt } from '../integrations/excerpt.ts'
import { integrations } from '../integrations/index.ts'
import { runIntegration } from '../integrations/run-integration.ts'
import type { AudioShelf } from './audio-shelf.ts'
import { readIntegrationRequest } from './integration-request.ts'

/** Routes: list the integrations with their code, and run one. */
export function integrationRoutes(options: AppOptions, shelf: AudioShelf): Router {
  return express.Router().get('/', listIntegrations).post('/:id', express.json(), runOne(options, shelf))
}

const listIntegrations: RequestHandler = async (_request, response) => {
  const list = integrations.map(async ({ id, title, package: name, about }) => {
    return { id, title, package: name, about, file: `server/integrations/${id}.ts`, code: await readExcerpt(id) }
  })
  response.json({ integrations: await Promise.all(list) } satisfies IntegrationsResponse)
}

function runOne({ client, upstream, scratch }: AppOptions, shelf: AudioShelf): RequestHandler {
  return async (request, response) => {
    const integration = integrations.find(({ id }) => id === request.params['id'])
    if (integration === undefined) throw new HttpError(404, 'unknown_integration', 'Unknown integration')
    const { text, voice } = readIntegrationRequest(request.body)
    const signal = disconnectSignal(response)
    await upstream.ready()
    const { apiKey, baseUrl, embedded } = upstream
    const context = { text, voice_id: voice, client, apiKey, baseUrl, callbacks: embedded, signal }
    try {
      const { audio, ...outcome } = await runIntegration(integration, context, scratch)
      const id = shelf.put({ bytes: Buffer.from(audio.bytes), type: audio.type })
      response.json({ audioUrl: `/api/audio/${id}`, ...outcome } satisfies IntegrationResult)
    } catch (error) {
      // The client has disconnected.
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      throw new HttpError(500, 'integration_failed', message, { cause: error })
    }
  }
}
