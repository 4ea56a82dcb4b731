import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { audioErrors } from '@svc-audio/express-middleware'
import express, { type Express, type RequestHandler, type Router } from 'express'
import { isPanelId, type StatusResponse, VOICE_WORKLET_PATH } from '../shared/api.ts'
import { AudioShelf, type IntegrationOptions, integrationRoutes } from './integrations/index.ts'
import { proxyTo } from './proxy.ts'
import { HOOK_PATH, Webhooks } from './webhooks.ts'
import { errorHandler, HttpError, localHost, sameOrigin, securityHeaders } from './http.ts'
import type { Upstream } from './upstream.ts'

/** The policy of the page allows files only. */
const VOICE_WORKLET = fileURLToPath(new URL('voice-worklet.js', import.meta.resolve('@svc-audio/voice')))

/** Options of the app. */
export interface AppOptions extends IntegrationOptions {
  /** Address of the callbacks that the service can call. `undefined`: it can call none. */
  readonly hookUrl: string | undefined
  /** Folder of the built page. */
  readonly page: string
}

/** The page and its API. */
export function createApp(options: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  const webhooks = new Webhooks(options.client, options.hookUrl)
  // The service may call by another host name.
  app.post(HOOK_PATH, webhooks.hook())
  app.use(securityHeaders(!options.upstream.embedded), localHost)
  app.use('/api', sameOrigin, apiRoutes(options, webhooks))
  app.use('/assets', express.static(join(options.page, 'assets'), { immutable: true, maxAge: '1y' }))
  app.use(express.static(options.page, { cacheControl: false }))
  app.get(VOICE_WORKLET_PATH, (_request, response) => response.sendFile(VOICE_WORKLET))
  app.get('/:panel', panelPage(options.page))
  app.use((request, response) => {
    // The page says it for people, and leads to the first panel.
    const isPerson = request.method === 'GET' && request.accepts(['json', 'html']) === 'html'
    if (!isPerson) throw new HttpError(404, 'not_found', `No page at ${request.path}`)
    response.status(404).sendFile(join(options.page, 'index.html'), { cacheControl: false })
  })
  app.use(audioErrors())
  app.use(errorHandler(options.upstream.apiKey))
  return app
}

function apiRoutes(options: AppOptions, webhooks: Webhooks): Router {
  const { upstream } = options
  const shelf = new AudioShelf()
  const api = express.Router()
  api.use(['/v1', '/openai/v1'], proxyTo(upstream))
  api.get('/status', readStatus(upstream))
  api.post('/status', retryService(upstream))
  api.use('/webhooks', webhooks.routes())
  api.use('/integrations', integrationRoutes(options, shelf))
  api.get('/audio/:id', (request, response) => {
    const audio = shelf.get(request.params.id)
    if (audio === undefined)
      throw new HttpError(404, 'audio_gone', 'This audio is no longer stored. Run the integration again.')
    response.type(audio.type).send(audio.bytes)
  })
  return api
}

/** Every panel is the same page: the path selects the panel there. */
function panelPage(page: string): RequestHandler {
  return (request, response, next) => {
    if (isPanelId(String(request.params['panel']))) response.sendFile(join(page, 'index.html'), { cacheControl: false })
    else next()
  }
}

/** Answers whether the service can be used. */
export function readStatus(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    response.set('cache-control', 'no-store').json(await statusOf(upstream))
  }
}

/** Starts a stopped service at once, then answers as {@link readStatus}. */
export function retryService(upstream: Upstream): RequestHandler {
  return async (_request, response) => {
    upstream.retry()
    response.json(await statusOf(upstream))
  }
}

async function statusOf(upstream: Upstream): Promise<StatusResponse> {
  const { embedded, baseUrl } = upstream
  const address = embedded ? undefined : baseUrl
  return { service: await upstream.state(), embedded, address, process: upstream.pid() }
}
