import { randomUUID } from 'node:crypto'
import { disconnectSignal } from '@svc-audio/upload'
import express, { type RequestHandler, type Router } from 'express'
import {
  type IntegrationRequest,
  type IntegrationResult,
  type IntegrationsResponse,
  MAX_INTEGRATION_CHARACTERS,
} from '../../shared/api.ts'
import type { AppOptions } from '../app-options.ts'
import { HttpError } from '../http.ts'
import { LatestMap } from '../latest-map.ts'
import { integrations, readExcerpt, runIntegration } from '../integrations/index.ts'

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

/**
 * Reads the body of a run.
 * @throws HttpError 400 with the wrong field
 */
export function readIntegrationRequest(body: unknown): IntegrationRequest {
  const { text, voice } = fieldsOf(body)
  if (typeof text !== 'string' || text.trim() === '') throw invalid('The text is empty: type a text to speak')
  if (text.length > MAX_INTEGRATION_CHARACTERS) {
    throw invalid(`The text is longer than ${MAX_INTEGRATION_CHARACTERS} characters`)
  }
  if (typeof voice !== 'string' || voice === '') throw invalid('The voice is missing: choose a voice')
  return { text, voice }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}

/** Audio with its MIME type. */
interface ShelvedAudio {
  readonly bytes: Buffer
  readonly type: string
}

/** The latest audio of the integrations: one run of each and a few more. The page plays it by its address. */
export class AudioShelf extends LatestMap<string, ShelvedAudio> {
  constructor() {
    super(24)
  }

  /** Stores audio. @returns its id */
  put(audio: ShelvedAudio): string {
    const id = randomUUID()
    this.set(id, audio)
    return id
  }
}
