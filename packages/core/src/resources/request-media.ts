import { ProtocolError } from '../errors/service-errors.ts'
import { AudioBody } from '../streaming/audio-body.ts'
import type { EventDeadline } from '../streaming/event-source.ts'
import type { ApiRequest } from '../transport/api.ts'
import type { ApiResponse } from '../transport/api-response.ts'
import type { Answer, CallOptions } from '../transport/call.ts'
import type { ClientContext } from './context.ts'

/**
 * Sends a request for audio.
 * @throws ProtocolError if the response is a document
 */
export async function requestAudio(
  { api, uploads }: ClientContext,
  request: ApiRequest,
  options?: CallOptions,
): Promise<Answer<AudioBody>> {
  const response = await api.send({ ...request, accept: '*/*' }, options)
  refuse(response, ['application/json', 'text/html'].includes(response.mediaType), 'audio')
  return { data: new AudioBody(response, uploads.files), response }
}

/**
 * Sends a request for events and opens their stream.
 * @throws ProtocolError for another media type, which would be read as one endless event. A missing media type passes.
 */
export async function requestEvents<Stream>(
  { api }: ClientContext,
  request: ApiRequest,
  open: (response: ApiResponse, deadline: EventDeadline) => Promise<Stream>,
  options?: CallOptions,
): Promise<Answer<Stream>> {
  const deadline = api.eventDeadline(options)
  const response = await api.send({ ...request, accept: 'text/event-stream', streamed: true }, options)
  refuse(response, !['text/event-stream', ''].includes(response.mediaType), 'an event stream')
  return { data: await open(response, deadline), response }
}

function refuse(response: ApiResponse, wrong: boolean, what: string): void {
  if (!wrong) return
  response.cancel()
  throw new ProtocolError(`The service answered with ${response.mediaType} instead of ${what}`, response)
}
