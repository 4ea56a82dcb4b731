import type { PureAudioClient } from '@svc-audio/core'
import {
  assertTranscribeOptions,
  disconnectSignal,
  type IncomingUpload,
  type TranscribeOptions,
  transcribeRequest,
  type TranscriptionFields,
} from '@svc-audio/upload'
import type { Request, RequestHandler } from 'express'

/** Options of {@link transcribeUpload}. */
export interface TranscribeUploadOptions extends TranscribeOptions {
  /** An `AudioClient`. It stays the caller's to close. */
  readonly client: PureAudioClient
  /**
   * Fields that differ from request to request; they win over the fixed ones. Of the form, only fields sent before the
   * file are known here. Check what comes from the caller: models cost money.
   */
  readonly body?: (
    request: Request,
    upload: IncomingUpload,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>>
}

/**
 * Middleware that transcribes the one file of a multipart form and puts the answer into `req.transcription`. The file
 * flows straight to the service, whose work begins before the upload has ended: nothing of it is kept in memory or on
 * disk. When the browser leaves, the call to the service is aborted.
 *
 * Failures go to the error middleware, for which {@link audioErrors} is made: `UploadError`, `ClientGoneError`, and the
 * errors of the client. An upload cannot be sent twice, so a failed call is not repeated.
 *
 * @throws RangeError here, when an option is out of range
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
 *   res.json(req.transcription)
 * })
 */
export function transcribeUpload(options: TranscribeUploadOptions): RequestHandler {
  assertTranscribeOptions(options)
  const { client, body } = options
  return async (request, response, next) => {
    const signal = disconnectSignal(response)
    const outcome = await transcribeRequest(request, options, {
      client,
      signal,
      body: (upload) => body?.(request, upload),
    })
    Object.assign(request, outcome)
    next()
  }
}
