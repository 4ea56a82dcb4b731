import type { AudioBody } from '@svc-audio/core'
import {
  checkOptions,
  openTaskAudio,
  PLAY_RESULT_RULES,
  type PlayResultHandlerOptions,
  type RelayHeaders,
  sendAudio,
  type Uncalled,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { resourceHandler } from './respond-audio.ts'

/** Options of {@link playResult}. Without `task`, the id is the route's parameter `id`. */
export type PlayResultOptions = PlayResultHandlerOptions<Request>

/**
 * A handler that serves the audio of a finished task, with `Range`, which players on phones need to start and to seek.
 * It answers 404 for an unknown task, and 409 with `Retry-After` for one that is not finished.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.get('/speech/:id', playResult({ client, task: (req) => ownTaskId(req.user, req.params.id) }))
 */
export function playResult(options: PlayResultOptions, ..._uncalled: Uncalled<'playResult'>[]): RequestHandler {
  checkOptions('playResult', options, PLAY_RESULT_RULES)
  return resourceHandler(options, async (request, response, callOptions, signal) => {
    const { audio, status, headers } = await openTaskAudio(options, {
      context: request,
      options: callOptions,
      header: (name) => request.get(name),
      taskId,
    })
    if (request.method === 'HEAD') sendHead(response, audio, status, headers)
    else await sendAudio(response, audio, signal, { status, headers })
  })
}

function taskId({ params: { id } }: Request): string {
  return typeof id === 'string' ? id : ''
}

function sendHead(response: Response, audio: AudioBody, status: number, headers: RelayHeaders): void {
  audio.cancel()
  const { 'cache-control': cacheControl = '', ...rest } = headers
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', cacheControl)
  for (const [name, value] of Object.entries(rest)) response.setHeader(name, value)
  if (audio.contentLength !== undefined) response.setHeader('content-length', audio.contentLength)
  response.setHeader('content-type', audio.contentType)
  response.status(status).end()
}
