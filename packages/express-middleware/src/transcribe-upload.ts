import type { PureAudioClient } from '@svc-audio/core'
import {
  assertTranscribeOptions,
  disconnectSignal,
  optionRules,
  type TranscribeOptions,
  transcribeRequest,
} from '@svc-audio/upload'
import type { Request, RequestHandler } from 'express'
import { asyncHandler } from './async-handler.ts'

/** Options of {@link transcribeUpload}. Those that are functions get the request. */
export interface TranscribeUploadOptions extends TranscribeOptions<Request> {
  /** An `AudioClient`. Close it yourself. */
  readonly client: PureAudioClient
}

/**
 * Middleware that transcribes the one file of a multipart form and puts the answer into `req.transcription`. The file
 * flows straight to the service, whose work begins before the upload has ended: nothing of it is kept in memory or on
 * disk. When the browser leaves, the call to the service is aborted.
 *
 * Failures go to the error middleware, for which {@link audioErrors} is made: `UploadError`, `ClientDisconnectedError`, and the
 * errors of the client. An upload cannot be sent twice, so a failed call is not repeated.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
 *   res.json(req.transcription)
 * })
 */
export function transcribeUpload(options: TranscribeUploadOptions): RequestHandler {
  assertTranscribeOptions(options, 'transcribeUpload', { client: optionRules.clientWith('transcriptions') })
  const { client, ...rest } = options
  return asyncHandler(async (request, response) => {
    const context = { client, signal: disconnectSignal(response), context: request }
    Object.assign(request, await transcribeRequest(request, rest, context))
    return true
  })
}
