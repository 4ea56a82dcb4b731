import { ProtocolError } from '../errors/protocol-error.ts'
import type { ApiResponse } from '../transport/api-response.ts'

/**
 * Refuses an answer of another kind than was asked for. A missing type is let pass: what follows decides.
 * @throws ProtocolError
 */
export function expectMediaType(response: ApiResponse, fits: (mediaType: string) => boolean, what: string): void {
  const { mediaType } = response
  if (mediaType === '' || fits(mediaType)) return
  response.cancel()
  throw new ProtocolError(`The service answered with ${mediaType} instead of ${what}`, response)
}

/** Whether it may be audio: no document. */
export function isAudio(mediaType: string): boolean {
  return mediaType !== 'application/json' && mediaType !== 'text/html'
}

/** Whether it is a stream of events. Anything else would be read as one endless event. */
export function isEventStream(mediaType: string): boolean {
  return mediaType === 'text/event-stream'
}
